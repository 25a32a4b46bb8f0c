package gen

import (
	"fmt"
	"strings"
)

// ResetStyle says how registers with a reset value are reset: at the clock edge
// or at once, by a high or a low level. Its text form is async_low, async_high,
// sync_low or sync_high.
type ResetStyle uint8

// The four styles. The reset port is rst_n for an active low reset and rst for an
// active high one.
const (
	AsyncLow ResetStyle = iota
	AsyncHigh
	SyncLow
	SyncHigh
)

var resetNames = [...]string{"async_low", "async_high", "sync_low", "sync_high"}

// String is the text form.
func (r ResetStyle) String() string {
	if r.valid() != nil {
		return fmt.Sprintf("reset style %d", uint8(r))
	}
	return resetNames[r]
}

// ParseResetStyle reads the text form.
func ParseResetStyle(s string) (ResetStyle, error) {
	for i, n := range resetNames {
		if n == s {
			return ResetStyle(i), nil
		}
	}
	return 0, fmt.Errorf("unknown reset style %q; choose one of %s", s, strings.Join(resetNames[:], ", "))
}

// MarshalText gives the text form.
func (r ResetStyle) MarshalText() ([]byte, error) {
	if err := r.valid(); err != nil {
		return nil, err
	}
	return []byte(r.String()), nil
}

// UnmarshalText reads the text form.
func (r *ResetStyle) UnmarshalText(text []byte) error {
	v, err := ParseResetStyle(string(text))
	if err == nil {
		*r = v
	}
	return err
}

// Port is the name of the reset port: rst or rst_n.
func (r ResetStyle) Port() string {
	if r.High() {
		return "rst"
	}
	return "rst_n"
}

// High reports whether the reset acts while its port is one.
func (r ResetStyle) High() bool { return r == AsyncHigh || r == SyncHigh }

// Async reports whether the reset acts without a clock edge.
func (r ResetStyle) Async() bool { return r == AsyncLow || r == AsyncHigh }

func (r ResetStyle) valid() error {
	if int(r) >= len(resetNames) {
		return fmt.Errorf("unknown reset style %d; choose one of %s", uint8(r), strings.Join(resetNames[:], ", "))
	}
	return nil
}
