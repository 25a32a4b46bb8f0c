package ir

import (
	"io"
	"strings"
)

// Printer prints the text form. Everything that has a meaning is in it, so that two designs
// with equal text behave and are emitted alike; [Parse] reads it back. An
// expression node with several users is printed once, as a let, and named
// afterwards, so the text grows with the graph and not with its unfolding.
//
//	text      = "(design" module-name ")" { enum } { module }
//	enum      = "(enum" name { "(" name number ")" } ")"
//	module    = "(module" name [ "(doc" string ")" ] [ "(params" string ")" ]
//	            { attr } [ extern ] { domain } { let | signal } { let | mem } { instance }
//	            { property } body ")"
//	extern    = "(extern" { "(param" name string ")" } [ "(source" string ")" ] ")"
//	domain    = "(domain" name string string [ "falling" ] [ style ] ")"   ; clock and reset inputs
//	style     = "sync_high" | "sync_low" | "async_high" | "async_low"
//	on        = "(on" domain-name ")"                   ; absent for the implicit domain
//	property  = "(" ( "assert" | "assume" | "cover" ) string signal-name [ on ] [ note ] ")"
//	signal    = "(" kind name type [ "(init" const ")" ] [ "(default" expr ")" ] [ on ]
//	            [ "(crossing" string ")" ] [ "async" ] [ "ghost" ] [ "registered" ]
//	            [ "unused" ] [ "temp" ] { attr } [ note ] ")"
//	kind      = "input" | "output" | "wire" | "reg" | "inst_in" | "inst_out" | "sync_read"
//	mem       = "(mem" name type depth [ "(style" name ")" ]
//	            [ "(init" { const } ")" ]
//	            { "(sync" expr expr signal-name { "old" | "new" | "undefined" } ")" }
//	            { attr } [ note ] ")"   ; sync: address, enable, data; a word for each write port
//	instance  = "(instance" name module-name { "(port" port-name signal-name ")" }
//	            [ on ] { "(clock" domain-of-child domain-name ")" } { attr } [ note ] ")"
//	attr      = "(attr" name string ")"
//	note      = "(note" string ")"
//	body      = "(body" { stmt } ")"
//	let       = "(let" label expr ")"
//	stmt      = let | note | set | if | switch | write
//	set       = "(set" signal-name [ range | "(lane" expr width ")" ] expr ")"
//	                                                    ; neither: the whole signal; lane: its index
//	if        = "(if" { "(when" expr { stmt } ")" } [ "(else" { stmt } ")" ] ")"
//	switch    = "(switch" expr { "(case" { const } { stmt } ")" } [ "(default" { stmt } ")" ] ")"
//	write     = "(write" mem-name expr expr [ "(mask" expr ")" ] [ on ] ")"  ; address, data
//	expr      = ( signal-name | const | label | "(" operator { expr } ")" ) { range }
//	          | "(extend" expr width ")" { range } | "(read" mem-name expr ")" { range }
//	          | "(select" expr expr stride width ")" { range }      ; index second
//	operator  = "not" | "neg" | "and_r" | "or_r" | "xor_r"          ; one operand
//	          | "and" | "or" | "xor" | "add" | "sub" | "mul" | "eq" | "ne" | "lt"
//	          | "le" | "gt" | "ge" | "shl" | "shr"                  ; two
//	          | "mux"                                               ; condition, then, else
//	          | "cat"                                               ; most significant first
//	          | "signed" | "unsigned"                               ; casts, one operand
//	range     = "[" high ":" low "]" | "[" bit "]"      ; a slice of what precedes
//	const     = number ":" type                         ; decimal, or hexadecimal after 0x
//	type      = ( "u" | "s" ) width [ "/" enum-name ]
//	label     = "%" number                              ; bound before its uses, once a module
//	name      = ( identifier | string ) [ "#" number ]  ; #2 is the second of that name
//	string    = a Go string literal in double quotes
//
// A semicolon starts a comment that ends with the line; positions are printed
// as such comments. A signal or memory of another module, which the checks
// refuse, is printed as module-name::name, and a missing node as nil.
type Printer struct {
	// Positions adds the position of each declaration and statement as a comment.
	Positions bool
}

// Fprint writes the text form of the design, without positions.
func Fprint(w io.Writer, d *Design) error { return Printer{}.Fprint(w, d) }

// Fprint writes the text form of the design.
func (p Printer) Fprint(w io.Writer, d *Design) error {
	t := newTexter(p, d.Modules)
	t.design(d)
	_, err := io.WriteString(w, t.out.String())
	return err
}

// String is the text form of the design.
func (d *Design) String() string {
	var b strings.Builder
	_ = Fprint(&b, d) // a Builder does not fail
	return b.String()
}

// String is the text form of the module alone: the enumerations it uses and the
// module, with its children only named.
func (m *Module) String() string {
	mods := []*Module{m}
	for _, i := range m.Instances {
		if i.Of != nil {
			mods = append(mods, i.Of)
		}
	}
	t := newTexter(Printer{}, mods)
	t.enums(m)
	t.module(m)
	return t.out.String()
}

// ExprString is the text form of one expression on one line. Shared nodes are
// printed at each use, so it is meant for small expressions.
func ExprString(e Expr) string {
	t := newTexter(Printer{}, nil)
	var b strings.Builder
	t.expr(e).flatten(&b)
	return b.String()
}

// StmtString is the text form of one statement, with lets for shared nodes
// before it.
func StmtString(s Stmt) string {
	t := newTexter(Printer{}, nil)
	t.count([]Stmt{s})
	for _, c := range t.stmts([]Stmt{s}) {
		t.out.line(c)
	}
	return t.out.String()
}
