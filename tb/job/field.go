package job

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// repeat makes one entry of a list stand for many.
type repeat struct {
	count            uint64
	srcStep, dstStep uint64
}

// FieldNames is the fields of a transfer in the YAML form.
func FieldNames() []string {
	return []string{"length", "src", "dst", "src_protocol", "dst_protocol", "src_head", "dst_head", "src_mode", "src_max_beats", "dst_max_beats",
		"decouple_aw", "decouple_rw", "last", "user", "src_attributes", "dst_attributes", "dims", "errors", "compute", "stream", "repeat"}
}

// fields reads a mapping of transfer fields into j and reports which were there.
func (y *yamlReader) fields(n *yaml.Node, what string, j *Job, rep *repeat) (map[string]bool, error) {
	names := FieldNames()
	if rep == nil {
		names = names[:len(names)-1]
	}
	seen := map[string]bool{}
	err := y.pairs(n, what, names, func(key string, v *yaml.Node) (err error) {
		seen[key] = true
		switch key {
		case "length":
			j.Length, err = y.number(v, key, ^uint64(0))
		case "src":
			j.Src.Addr, err = y.number(v, key, ^uint64(0))
		case "dst":
			j.Dst.Addr, err = y.number(v, key, ^uint64(0))
		case "src_protocol":
			j.Src.Protocol, err = y.protocol(v, key)
		case "dst_protocol":
			j.Dst.Protocol, err = y.protocol(v, key)
		case "src_head":
			j.Src.Head, err = y.head(v, key)
		case "dst_head":
			j.Dst.Head, err = y.head(v, key)
		case "src_mode":
			j.Src.Mode, err = y.mode(v, key)
		case "src_max_beats":
			j.Src.MaxBeats, err = y.beats(v, key)
		case "dst_max_beats":
			j.Dst.MaxBeats, err = y.beats(v, key)
		case "decouple_aw":
			j.DecoupleAW, err = y.boolean(v, key)
		case "decouple_rw":
			j.DecoupleRW, err = y.boolean(v, key)
		case "last":
			j.Last, err = y.boolean(v, key)
		case "user":
			j.User, err = y.number(v, key, ^uint64(0))
		case "src_attributes":
			err = y.attributes(v, key, &j.Src.Attributes)
		case "dst_attributes":
			err = y.attributes(v, key, &j.Dst.Attributes)
		case "dims":
			j.Dims, err = y.dims(v)
		case "errors":
			j.Errors, err = y.busErrors(v)
		case "compute":
			j.Compute, err = y.compute(v)
		case "stream":
			var n uint64
			n, err = y.number(v, key, MaxStreams-1)
			j.Stream = int(n)
		case "repeat":
			err = y.repeat(v, rep)
		}
		return err
	})
	return seen, err
}

var numberForm = regexp.MustCompile(`^(0|[1-9][0-9_]*|0[xX][0-9a-fA-F_]+)$`)

// number reads an unsigned number up to most. A leading zero is refused rather
// than read as octal.
func (y *yamlReader) number(v *yaml.Node, field string, most uint64) (uint64, error) {
	if v.Kind == yaml.ScalarNode && v.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) == 0 && numberForm.MatchString(v.Value) {
		n, err := strconv.ParseUint(strings.ReplaceAll(v.Value, "_", ""), 0, 64)
		if err == nil && n <= most {
			return n, nil
		}
	}
	return 0, y.fail(v, field, describe(v), fmt.Sprintf("expected a number from 0 to %#x, decimal or hexadecimal with 0x", most))
}

func (y *yamlReader) boolean(v *yaml.Node, field string) (bool, error) {
	if v.Kind == yaml.ScalarNode {
		switch v.Value {
		case "true", "1":
			return true, nil
		case "false", "0":
			return false, nil
		}
	}
	return false, y.fail(v, field, describe(v), "expected true or false")
}

func (y *yamlReader) protocol(v *yaml.Node, field string) (Protocol, error) {
	for i, name := range protocolNames {
		// The keys of engines say axi_lite and axi_stream.
		if v.Kind == yaml.ScalarNode && (v.Value == name || v.Value == strconv.Itoa(i) || v.Value == strings.Replace(name, "axi4_", "axi_", 1)) {
			return Protocol(i), nil
		}
	}
	return 0, y.fail(v, field, describe(v), "expected one of "+strings.Join(protocolNames[:], ", "))
}

func (y *yamlReader) head(v *yaml.Node, field string) (int, error) {
	n, err := y.number(v, field, MaxHeads-1)
	return int(n), err
}

// modeNames are the modes of Init by number.
var modeNames = []string{"repeat", "increment", "random"}

func (y *yamlReader) mode(v *yaml.Node, field string) (uint8, error) {
	for i, name := range modeNames {
		if v.Kind == yaml.ScalarNode && (v.Value == name || v.Value == strconv.Itoa(i)) {
			return uint8(i), nil
		}
	}
	return 0, y.fail(v, field, describe(v), "expected one of "+strings.Join(modeNames, ", "))
}

func (y *yamlReader) beats(v *yaml.Node, field string) (int, error) {
	n, err := y.number(v, field, ^uint64(0))
	if err != nil || !goodBeats(n) {
		return 0, y.fail(v, field, describe(v), "expected "+beatsChoice)
	}
	return int(n), nil
}

func (y *yamlReader) attributes(v *yaml.Node, field string, a *Attributes) error {
	return y.pairs(v, field, []string{"burst", "cache", "lock", "prot", "qos", "region"}, func(key string, v *yaml.Node) (err error) {
		name := field + "." + key
		var n uint64
		switch key {
		case "burst":
			if n, err = y.number(v, name, 3); err != nil || n > 1 {
				return y.fail(v, name, describe(v), "expected 0 for FIXED or 1 for INCR")
			}
			a.Burst = uint8(n)
		case "cache":
			n, err = y.number(v, name, 15)
			if err == nil && n&0b0010 == 0 && n&0b1100 != 0 {
				return y.fail(v, name, describe(v), "allocate bits (8, 4) need the modifiable bit (2); the combination is reserved")
			}
			a.Cache = uint8(n)
		case "lock":
			a.Lock, err = y.boolean(v, name)
		case "prot":
			n, err = y.number(v, name, 7)
			a.Prot = uint8(n)
		case "qos":
			n, err = y.number(v, name, 15)
			a.QoS = uint8(n)
		case "region":
			n, err = y.number(v, name, 15)
			a.Region = uint8(n)
		}
		return err
	})
}

func (y *yamlReader) dims(v *yaml.Node) ([]Dim, error) {
	if v.Kind != yaml.SequenceNode || len(v.Content) > MaxDims-1 {
		return nil, y.fail(v, "dims", describe(v), fmt.Sprintf("expected a list of at most %d dimensions", MaxDims-1))
	}
	var ds []Dim
	for _, n := range v.Content {
		var d Dim
		err := y.pairs(n, "dims", []string{"reps", "src_stride", "dst_stride"}, func(key string, v *yaml.Node) (err error) {
			switch key {
			case "reps":
				d.Reps, err = y.number(v, "dims.reps", ^uint64(0))
			case "src_stride":
				d.SrcStride, err = y.number(v, "dims.src_stride", ^uint64(0))
			case "dst_stride":
				d.DstStride, err = y.number(v, "dims.dst_stride", ^uint64(0))
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		ds = append(ds, d)
	}
	return ds, nil
}

func (y *yamlReader) busErrors(v *yaml.Node) ([]BusError, error) {
	if v.Kind != yaml.SequenceNode || len(v.Content) > MaxErrors {
		return nil, y.fail(v, "errors", describe(v), fmt.Sprintf("expected a list of at most %d entries, each %s", MaxErrors, errorChoice))
	}
	var es []BusError
	for _, n := range v.Content {
		n = target(n)
		e, ok := parseBusError(n.Value)
		if !ok {
			return nil, y.fail(n, "errors", describe(n), "expected "+errorChoice)
		}
		es = append(es, e)
	}
	return es, nil
}

func (y *yamlReader) repeat(v *yaml.Node, rep *repeat) error {
	return y.pairs(v, "repeat", []string{"count", "src_step", "dst_step"}, func(key string, v *yaml.Node) (err error) {
		switch key {
		case "count":
			if rep.count, err = y.number(v, "repeat.count", MaxJobs); err == nil && rep.count == 0 {
				err = y.fail(v, "repeat.count", describe(v), fmt.Sprintf("expected 1…%d", MaxJobs))
			}
		case "src_step":
			rep.srcStep, err = y.number(v, "repeat.src_step", ^uint64(0))
		case "dst_step":
			rep.dstStep, err = y.number(v, "repeat.dst_step", ^uint64(0))
		}
		return err
	})
}
