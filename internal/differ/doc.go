// Package differ computes designs in every way that the project knows and says
// where two of them disagree. A [Case] is a design and what is done to it: resets,
// edges of some of its clock domains, and inputs, cycle by cycle. An [Engine] is one
// way to compute cases, a batch at a time, because compilers take most of the time:
// all designs of a batch are instances of one module and have its clocks in common.
// All state starts at zero, so that no engine has to be told. [Run] compares the
// outputs of all engines in every cycle.
//
// What disagrees is made small by [Shrink], which drops and simplifies while the
// disagreement stays, and can be printed as a Go program that describes it with
// package hdl.
//
// The test of this package compares 300 modules; thousands are
//
//	go test ./internal/differ -run TestRandomModules -timeout 0 -seed 1000 -modules 20000
//
// and what fails says how it is replayed.
package differ
