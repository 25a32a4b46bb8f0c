package axi4

import "github.com/millrace-hdl/millrace/bus/monitor"

// Rule is the stable code of one protocol rule.
type Rule = monitor.Rule

// The rules that a [Monitor] checks.
const (
	ValidDropped   Rule = "valid-dropped"    // VALID fell before READY
	PayloadChanged Rule = "payload-changed"  // payload changed while VALID waited
	ValidInReset   Rule = "valid-in-reset"   // VALID high during reset
	CrossesPage    Rule = "crosses-4k"       // a burst crosses a 4 KiB boundary
	BurstType      Rule = "burst-type"       // reserved burst type
	BurstLength    Rule = "burst-length"     // FIXED beyond 16 beats, WRAP not 2, 4, 8 or 16
	WrapAlign      Rule = "wrap-align"       // WRAP from an address not aligned to the size
	BeatSize       Rule = "beat-size"        // beats wider than the bus
	CacheReserved  Rule = "cache-reserved"   // allocate bits set on a non-modifiable request
	Exclusive      Rule = "exclusive"        // exclusive access of an illegal size or alignment
	LastEarly      Rule = "last-early"       // WLAST or RLAST before the burst's last beat
	LastMissing    Rule = "last-missing"     // no WLAST or RLAST on the burst's last beat
	StrobeLanes    Rule = "strobe-lanes"     // a strobe outside the beat's lanes
	NoRequest      Rule = "no-request"       // R or B that no request asked for
	EarlyResponse  Rule = "early-response"   // B before the last W beat was accepted
	RespCode       Rule = "response-code"    // EXOKAY to a request that was not exclusive
	Outstanding    Rule = "outstanding"      // more requests outstanding than allowed
	Unanswered     Rule = "unanswered"       // a request without its response at the end
	DataLeft       Rule = "data-left"        // W beats without a request at the end
	ValidOnReady   Rule = "valid-from-ready" // VALID depends on READY within the cycle
)

// Violation is one breach of a rule.
type Violation = monitor.Violation
