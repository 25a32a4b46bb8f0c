// Package tb runs transfer lists through an engine and judges the result. A run
// has six parts, each fed once a cycle from the same sample: the driver offers
// requests and takes responses; memories (package mem) and streams answer on the
// buses, each a port; monitors (packages axi4, axilite, obi, tilelink and axistream) check the
// protocol of each; the scoreboard checks responses,
// bursts and their attributes; the watchdog ends runs that hang; and the oracle
// (package oracle) says beforehand what memory must hold afterwards. All parts
// see a design only as a [sim.Engine], so that the Go model, the Verilated RTL
// and both in lockstep run under the same bench.
package tb
