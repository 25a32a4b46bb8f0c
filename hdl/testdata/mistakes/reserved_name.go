package mistakes

import "github.com/millrace-hdl/millrace/hdl"

// MailboxIO is the interface of [Mailbox].
type MailboxIO struct {
	Word   hdl.Var `hdl:"in"`
	Output hdl.Var
}

// Mailbox keeps a word. One of its ports would be called output, which is a word of
// SystemVerilog.
func Mailbox(m *hdl.Module, _ none) MailboxIO {
	io := hdl.Ports(m, "", hdl.Source, MailboxIO{Word: hdl.U(8), Output: hdl.U(8)}) // mistake
	io.Output.Set(m.RegNext("word_q", io.Word))
	return io
}
