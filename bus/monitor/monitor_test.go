package monitor

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLogStoresSomeOfEachRuleAndCountsAll(t *testing.T) {
	l := NewLog(2)
	for i := range uint64(4) {
		l.Add(Violation{Cycle: i, Rule: "a", Message: "x"})
	}
	l.Add(Violation{Cycle: 9, Channel: "AW", Rule: "b", Message: "y"})
	require.Equal(t, 5, l.Count())
	var lines []string
	for _, v := range l.Violations() {
		lines = append(lines, v.String())
	}
	require.Equal(t, []string{"cycle 0: x [a]", "cycle 1: x [a]", "cycle 9, AW: y [b]"}, lines)

	l = NewLog(0)
	for range 30 {
		l.Add(Violation{Rule: "a"})
	}
	require.Len(t, l.Violations(), 20)
	require.Equal(t, 30, l.Count())
}
