// Package irtest helps to test consumers of designs. [Random] makes well-formed
// designs with every kind of node from a seed; [Reference] computes a design the
// slow and obvious way: it walks expressions over big integers, executes
// statements in order, and repeats until nothing changes.
package irtest
