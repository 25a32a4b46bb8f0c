package prove

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// search is the state of the search through the properties of a design.
type search struct {
	o       Options
	top     string
	claims  []claim
	netlist netlist
	proved  []int       // claims
	failed  []int       // of which there is a counterexample
	open    []int       // and those that are not
	index   map[int]int // of a claim among the properties
}

func newSearch(o Options, top string) (*search, error) {
	cs, err := claims(o.Dir)
	if err != nil {
		return nil, err
	}
	n, err := readNetlist(filepath.Join(o.Dir, "gates.aig"))
	if err != nil {
		return nil, err
	}
	if len(n.bad) != len(cs) {
		return nil, fmt.Errorf("the netlist has %d outputs for %d properties", len(n.bad), len(cs))
	}
	return &search{o: o, top: top, claims: cs, netlist: n}, nil
}

// all decides the properties.
func (s *search) all(ctx context.Context) ([]Property, error) {
	var found []Property
	s.index = map[int]int{}
	byName := map[string]int{}
	for k, c := range s.claims {
		own := c.name[strings.LastIndex(c.name, ".")+1:]
		if c.name == "" || strings.HasSuffix(own, reached) || s.o.Only != "" && c.name != s.o.Only {
			continue
		}
		s.index[k], byName[c.name] = len(found), len(found)
		found = append(found, Property{Name: c.name, Status: Bounded})
		s.open = append(s.open, k)
	}
	if err := s.proofs(ctx, found); err != nil {
		return nil, err
	}
	for _, k := range append(s.failed, s.open...) {
		start := time.Now()
		if err := s.bound(ctx, k, &found[s.index[k]]); err != nil {
			return nil, err
		}
		found[s.index[k]].Time += time.Since(start)
	}
	return found, s.reach(ctx, found, byName)
}

// proofs looks for proofs, short ones first: of each property by itself, then, with
// those that were proved taken for granted, of all others together and of each, as long
// as that proves more.
func (s *search) proofs(ctx context.Context, found []Property) error {
	short := min(time.Second, s.o.Prove)
	look := func(of []int, how func(context.Context, []int, time.Duration) (bool, error), limit time.Duration) error {
		start := time.Now()
		ok, err := how(ctx, of, limit)
		for _, k := range of {
			found[s.index[k]].Time += time.Since(start) / time.Duration(len(of))
			if ok {
				found[s.index[k]].Status = Proved
				s.proved = append(s.proved, k)
				s.open = slices.DeleteFunc(s.open, func(o int) bool { return o == k })
			}
		}
		return err
	}
	each := func(how func(context.Context, []int, time.Duration) (bool, error), limit time.Duration) error {
		for _, k := range slices.Clone(s.open) {
			if err := look([]int{k}, how, limit); err != nil {
				return err
			}
		}
		return nil
	}
	if err := each(s.alone, short); err != nil {
		return err
	}
	for limit := short; len(s.open) > 0; {
		before := len(s.open)
		if err := look(s.open, s.induction, s.o.Prove); err != nil {
			return err
		}
		for _, k := range slices.Clone(s.open) {
			rest := slices.DeleteFunc(slices.Clone(s.open), func(o int) bool { return o == k })
			if len(s.open) < before || len(rest) == 0 {
				break
			}
			if err := look(rest, s.induction, s.o.Prove); err != nil {
				return err
			}
		}
		if len(s.open) == before {
			if err := each(s.induction, limit); err != nil {
				return err
			}
			if err := each(s.reachable, limit); err != nil {
				return err
			}
		}
		if len(s.open) == before {
			if limit == s.o.Prove {
				break
			}
			limit = s.o.Prove
		}
	}
	return nil
}

// abc runs commands on some outputs of the netlist, with others taken for granted.
func (s *search) abc(ctx context.Context, outputs, never []int, command string) (string, error) {
	if err := s.netlist.write(filepath.Join(s.o.Dir, "part.aig"), outputs, never); err != nil {
		return "", err
	}
	return run(ctx, s.o.Dir, "yosys-abc", "-c", "read_aiger part.aig; fold; strash; scleanup; "+command)
}

// alone is [search.reachable] without the properties that were proved, which is quicker
// where they do not help.
func (s *search) alone(ctx context.Context, of []int, limit time.Duration) (bool, error) {
	proved := s.proved
	s.proved = nil
	ok, err := s.reachable(ctx, of, limit)
	s.proved = proved
	return ok, err
}

// reachable looks for a proof by the set of the states that can be reached, and
// may find that there is none.
func (s *search) reachable(ctx context.Context, of []int, limit time.Duration) (bool, error) {
	said, err := s.abc(ctx, of, s.proved, fmt.Sprintf("pdr -T %d", limit/time.Second))
	if len(of) == 1 && hit.MatchString(said) {
		s.failed = append(s.failed, of[0])
		s.open = slices.DeleteFunc(s.open, func(k int) bool { return k == of[0] })
	}
	return strings.Contains(said, "Property proved") || strings.Contains(said, "the miter is trivially unsatisfiable"), err
}

// steps is how many edges an induction takes for granted.
const steps = 4

// induction looks for a proof of several properties together: at the first edges they
// hold, and where they hold at some edges in a row they hold at the next.
func (s *search) induction(ctx context.Context, of []int, limit time.Duration) (bool, error) {
	said, err := s.abc(ctx, of, s.proved, fmt.Sprintf("orpos; ind -F %d -T %d", steps, limit/time.Second))
	if err != nil || !strings.Contains(said, "Networks are equivalent") {
		return false, err
	}
	said, err = s.abc(ctx, of, s.proved, fmt.Sprintf("orpos; bmc3 -F %d -T %d", steps+1, max(limit, s.o.Search)/time.Second))
	m := clean.FindStringSubmatch(said)
	if err != nil || m == nil {
		return strings.Contains(said, "the miter is trivially unsatisfiable"), err
	}
	edges, err := strconv.Atoi(m[1])
	return edges > steps, err
}

var (
	clean = regexp.MustCompile(`No output asserted in (\d+) frames`)
	hit   = regexp.MustCompile(`Output 0 of miter "\w+" was asserted in frame (\d+)`)
	// reachedAt matches what is said of one of several outputs.
	reachedAt = regexp.MustCompile(`Output +(\d+) was asserted in frame +(\d+)`)
)

// bound looks for a counterexample. What is claimed at an edge is seen by the tools one
// step later.
func (s *search) bound(ctx context.Context, k int, p *Property) error {
	said, err := s.abc(ctx, []int{k}, s.proved, fmt.Sprintf("bmc3 -F %d -T %d", s.o.Depth+1, s.o.Search/time.Second))
	if err != nil {
		return err
	}
	if m := hit.FindStringSubmatch(said); m != nil {
		p.Status = Failed
		if p.Depth, err = strconv.Atoi(m[1]); err != nil {
			return err
		}
		p.Trace, err = witness(ctx, s.o.Dir, s.top+"/c:"+s.claims[k].cell, p.Depth)
		return err
	}
	m := clean.FindStringSubmatch(said)
	if m == nil {
		return fmt.Errorf("property %s: cannot read what yosys-abc said: %s", p.Name, said)
	}
	depth, err := strconv.Atoi(m[1])
	p.Depth = max(0, depth-1)
	return err
}

// reach looks when the conditions of properties hold first.
func (s *search) reach(ctx context.Context, found []Property, byName map[string]int) error {
	var outputs []int
	for k, c := range s.claims {
		name, ok := strings.CutSuffix(c.name, reached)
		if i, known := byName[name]; ok && known {
			found[i].Condition = true
			outputs = append(outputs, k)
		}
	}
	if len(outputs) == 0 {
		return nil
	}
	said, err := s.abc(ctx, outputs, nil, fmt.Sprintf("pdr -a -T %d", s.o.Search/time.Second))
	for _, m := range reachedAt.FindAllStringSubmatch(said, -1) {
		k, err := strconv.Atoi(m[1])
		if err != nil || k >= len(outputs) {
			return fmt.Errorf("cannot read what yosys-abc said: %s", said)
		}
		found[byName[strings.TrimSuffix(s.claims[outputs[k]].name, reached)]].Reached, err = strconv.Atoi(m[2])
		if err != nil {
			return err
		}
	}
	return err
}
