// Package monitor holds what the protocol monitors of all buses have in common: the
// violations that they find, and the log that they keep of them.
package monitor

import "fmt"

// Rule is the stable code of one protocol rule. Each bus has its own.
type Rule string

// Violation is one breach of a rule.
type Violation struct {
	Cycle   uint64
	Channel string // as the standard names it; empty where the bus has no channels
	Rule    Rule
	Message string // with the values involved
}

// String is the violation as a line for people.
func (v Violation) String() string {
	at := fmt.Sprintf("cycle %d", v.Cycle)
	if v.Channel != "" {
		at += ", " + v.Channel
	}
	return fmt.Sprintf("%s: %s [%s]", at, v.Message, v.Rule)
}

// Log keeps the violations of one bus. Monitors embed it.
type Log struct {
	keep       int
	violations []Violation
	count      int
	kept       map[Rule]int
}

// NewLog is an empty log that stores so many violations of each rule, 20 if keep is 0,
// and counts all.
func NewLog(keep int) Log {
	if keep == 0 {
		keep = 20
	}
	return Log{keep: keep, kept: map[Rule]int{}}
}

// Add enters a violation.
func (l *Log) Add(v Violation) {
	l.count++
	if l.kept[v.Rule]++; l.kept[v.Rule] <= l.keep {
		l.violations = append(l.violations, v)
	}
}

// Violations is the stored violations in the order found.
func (l *Log) Violations() []Violation { return l.violations }

// Count is the number of all violations.
func (l *Log) Count() int { return l.count }
