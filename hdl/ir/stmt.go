package ir

// Stmt is a statement of a module's body. The implementations are the types of
// this file and no others.
type Stmt interface {
	Position() Pos
	stmt()
}

type (
	// Assign gives Width bits of Target from bit Lo up the value. The widths are
	// equal, and for a whole assignment the signedness as well.
	//
	// With an Index, Target is an array of lanes of Width bits, of which lane Index
	// takes the value; a lane beyond the target is dropped. Lo is 0, Width divides the
	// target's width, and Index is unsigned, of any width.
	Assign struct {
		Target    *Signal
		Lo, Width int
		Index     Expr // nil for a fixed place
		Value     Expr
		Pos       Pos
	}
	// If runs the body of the first arm whose 1-bit condition is one, else Else.
	If struct {
		Arms []Arm
		Else []Stmt // nil when absent
		Pos  Pos
	}
	// Switch runs the body of the case that lists the value of Subject, else
	// Default. No value is listed twice.
	Switch struct {
		Subject    Expr
		Cases      []Case
		Default    []Stmt
		HasDefault bool
		Pos        Pos
	}
	// Note is a comment that belongs to the statement after it.
	Note struct {
		Text string
		Pos  Pos
	}
	// MemWrite writes Data to the addressed element at the clock edge. Mask, if
	// not nil, has one bit per Elem.Width/len(Mask) bits of data, as byte enables do.
	// The edge is that of Domain. Each statement is a write port of its memory.
	MemWrite struct {
		Mem        *Mem
		Addr, Data Expr
		Mask       Expr
		Domain     *Domain
		Pos        Pos
	}
)

// Arm is one condition and body of an [If].
type Arm struct {
	Cond Expr
	Body []Stmt
	Pos  Pos
}

// Case is one set of values and body of a [Switch].
type Case struct {
	Values []*Const
	Body   []Stmt
	Pos    Pos
}

// Whole reports whether the assignment covers its target.
func (s *Assign) Whole() bool { return s.Index == nil && s.Lo == 0 && s.Width == s.Target.Type.Width }

// Writes returns the write ports of the memory in the order of their statements.
func (m *Mem) Writes() []*MemWrite {
	var ws []*MemWrite
	if m.Module != nil {
		WalkStmts(m.Module.Body, func(s Stmt) bool {
			if w, ok := s.(*MemWrite); ok && w.Mem == m {
				ws = append(ws, w)
			}
			return true
		})
	}
	return ws
}

func (s *Assign) Position() Pos   { return s.Pos }
func (s *If) Position() Pos       { return s.Pos }
func (s *Switch) Position() Pos   { return s.Pos }
func (s *Note) Position() Pos     { return s.Pos }
func (s *MemWrite) Position() Pos { return s.Pos }

func (*Assign) stmt()   {}
func (*If) stmt()       {}
func (*Switch) stmt()   {}
func (*Note) stmt()     {}
func (*MemWrite) stmt() {}
