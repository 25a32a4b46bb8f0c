package tilelink

import "github.com/millrace-hdl/millrace/bus/monitor"

// Rule is the stable code of one protocol rule.
type Rule = monitor.Rule

// The rules that a [Monitor] checks.
const (
	ValidDropped   Rule = "valid-dropped"   // valid fell before ready; stricter than the specification, see Config.Retract
	PayloadChanged Rule = "payload-changed" // payload changed while valid waited
	ValidInReset   Rule = "valid-in-reset"  // valid high during reset
	Opcode         Rule = "opcode"          // an opcode that the level does not have, or that does not answer the request
	Param          Rule = "param"           // a parameter that the opcode does not have
	Size           Rule = "size"            // more bytes than allowed, or another size than the request's
	Alignment      Rule = "alignment"       // an address that is no multiple of the bytes
	Mask           Rule = "mask"            // lanes outside the access, or not all of it where they must be
	Corrupt        Rule = "corrupt"         // corrupt on a message without data, or not on denied data
	BeatChanged    Rule = "beat-changed"    // the control part differs between the beats of a message, or another message is between them
	SourceBusy     Rule = "source-busy"     // a source whose last request is not answered
	NoRequest      Rule = "no-request"      // an answer that no request asked for
	Order          Rule = "order"           // not the answer of the oldest request, see Config.InOrder
	Outstanding    Rule = "outstanding"     // more requests outstanding than allowed
	Unanswered     Rule = "unanswered"      // a request without its answer at the end
	Unfinished     Rule = "unfinished"      // a message without its last beat at the end
)

// Violation is one breach of a rule.
type Violation = monitor.Violation
