package mistakes

import "github.com/millrace-hdl/millrace/hdl"

// LockState is a state of [Lock].
type LockState int

// The states of a lock.
const (
	Closed LockState = iota
	Open
	Alarmed
)

// String is the name of the state.
func (s LockState) String() string { return [...]string{"Closed", "Open", "Alarmed"}[s] }

// LockIO is the interface of [Lock].
type LockIO struct {
	Key   hdl.Var `hdl:"in"`
	Siren hdl.Var
}

// Lock opens and closes. Nothing leads to the alarm.
func Lock(m *hdl.Module, _ none) LockIO {
	io := hdl.Ports(m, "", hdl.Source, LockIO{Key: hdl.Bool(), Siren: hdl.Bool()})
	lock := hdl.NewFSM(m, "lock_q", []LockState{Closed, Open, Alarmed})
	lock.On(Closed, func() {
		m.If(io.Key, func() { lock.Next(Open) })
	}).On(Open, func() {
		m.If(io.Key.Not(), func() { lock.Next(Closed) })
	}).On(Alarmed, func() { // mistake
		lock.Next(Closed)
	})
	io.Siren.Set(lock.Is(Alarmed))
	return io
}
