package tb

import (
	"fmt"

	"github.com/millrace-hdl/millrace/bus/axi4"
	"github.com/millrace-hdl/millrace/tb/job"
)

// walker follows the bursts of one side through the list: they must cover each
// transfer's bus words in order, touch no word outside, keep to its burst cap,
// and carry its attributes. A word may be asked for twice in a row, since a
// burst may end inside it.
type walker struct {
	ch axi4.Channel
	p  *ports
	ax *addrPorts
	*course
	heads heads  // the transfers that it follows
	job   int    // transfer under way or next
	begun bool   // some of its bursts were seen
	word  uint64 // next bus word, if begun and not all seen
	all   bool   // its last word was seen
	lost  bool   // out of step: silent from then on
	// anyOrder: transfers were aborted or replayed; a burst may belong to any of those
	// that run.
	anyOrder bool

	bursts uint64   // seen so far
	ends   []uint64 // for each transfer, how many bursts were seen with its last one; 0 before
}

func newWalker(ch axi4.Channel, p *ports, ax *addrPorts, c *course, h heads) walker {
	return walker{ch: ch, p: p, ax: ax, course: c, heads: h, ends: make([]uint64, len(c.jobs))}
}

// skips reports whether transfer i has no bursts here.
func (w *walker) skips(i int) bool {
	s := w.side(&w.jobs[i])
	return w.length(&w.jobs[i]) == 0 || w.unit(i) != w.heads.unit || s.Protocol != w.heads.protocol || s.Head != w.heads.number
}

func (w *walker) side(j *job.Job) *job.Side {
	if w.ch == axi4.AR {
		return &j.Src
	}
	return &j.Dst
}

// length is the bytes that a transfer has on the side that is followed.
func (w *walker) length(j *job.Job) uint64 {
	if w.ch == axi4.AR {
		return j.Reads()
	}
	return j.Writes()
}

// id is the identifier that transfer i was launched with, 0 on a bus without them.
func (w *walker) id(i int) uint64 {
	if !w.ax.id.has {
		return 0
	}
	return uint64(i) & w.p.id.mask
}

// take follows one burst and returns what is wrong with it, or "".
func (w *walker) take(r *axi4.Request, user []uint64) string {
	if w.lost {
		return ""
	}
	w.bursts++
	bus := uint64(w.p.bytes)
	first := r.Addr &^ (bus - 1)
	if w.anyOrder {
		return w.takeAny(r, user, first)
	}
	if w.begun && w.all && (first != w.word || w.p.id.has && r.ID != w.id(w.job) || w.nextStartsAt(first)) {
		w.job++
		w.begun = false
	}
	if !w.begun {
		for w.job < len(w.jobs) && w.skips(w.job) {
			w.job++
		}
		if w.job == len(w.jobs) {
			w.lost = true
			return fmt.Sprintf("%s burst of %d beats at %#x after the last transfer's", w.ch, r.Beats(), r.Addr)
		}
		w.word = w.side(&w.jobs[w.job]).Addr &^ (bus - 1)
		w.begun, w.all = true, false
		if first != w.word {
			return w.outOfStep(r, "starts")
		}
	} else if first != w.word && first != w.word-bus {
		return w.outOfStep(r, "goes on")
	}
	j := &w.jobs[w.job]
	s := w.side(j)
	last := first + uint64(int(r.Len))*bus
	end := (s.Addr + w.length(j) - 1) &^ (bus - 1)
	if last > end || last < first {
		w.lost = true
		return fmt.Sprintf("%s burst of %d beats at %#x goes beyond transfer %d (%s): it reaches word %#x, the last is %#x",
			w.ch, r.Beats(), r.Addr, w.job, describe(j), last, end)
	}
	if w.all = last == end; w.all {
		w.word = last
		w.ends[w.job] = w.bursts
	} else {
		w.word = last + bus
	}
	return w.attributes(r, user, j, s)
}

// takeAny follows a burst of any transfer that runs.
func (w *walker) takeAny(r *axi4.Request, user []uint64, first uint64) string {
	wrong := ""
	for w.job = w.done; w.job < w.accepted; w.job++ {
		j := &w.jobs[w.job]
		s := w.side(j)
		if !w.runs(w.job) || w.skips(w.job) || first < s.Addr&^uint64(w.p.bytes-1) || r.LastByte() > (s.Addr+w.length(j)-1)|uint64(w.p.bytes-1) {
			continue
		}
		if wrong = w.attributes(r, user, j, s); wrong == "" {
			return ""
		}
	}
	if wrong != "" {
		return wrong
	}
	return fmt.Sprintf("%s burst of %d beats at %#x lies in no transfer that runs", w.ch, r.Beats(), r.Addr)
}

// nextStartsAt reports whether the next transfer with data begins in the word,
// under the identifier of the present one.
func (w *walker) nextStartsAt(word uint64) bool {
	for i := w.job + 1; i < len(w.jobs); i++ {
		if j := &w.jobs[i]; !w.skips(i) {
			return w.id(i) == w.id(w.job) && w.side(j).Addr&^(uint64(w.p.bytes)-1) == word
		}
	}
	return false
}

func (w *walker) outOfStep(r *axi4.Request, how string) string {
	w.lost = true
	return fmt.Sprintf("%s burst of %d beats at %#x where transfer %d (%s) %s at %#x; later %s bursts are not judged",
		w.ch, r.Beats(), r.Addr, w.job, describe(&w.jobs[w.job]), how, w.word, w.ch)
}

// attributes compares what the burst carries with what was asked for. Ports that
// the design lacks on either side are not compared.
func (w *walker) attributes(r *axi4.Request, user []uint64, j *job.Job, s *job.Side) string {
	if r.Beats() > s.Beats() {
		return fmt.Sprintf("%s burst of %d beats at %#x; transfer %d allows %d", w.ch, r.Beats(), r.Addr, w.job, s.Beats())
	}
	in := &w.p.src
	if w.ch == axi4.AW {
		in = &w.p.dst
	}
	for _, f := range [...]struct {
		name      string
		got, want uint64
		judged    bool
	}{
		{"ID", r.ID, w.id(w.job), w.ax.id.has && w.p.id.has},
		{"BURST", uint64(r.Burst), uint64(s.Burst), w.ax.burst.has && in.burst.has},
		{"LOCK", truth(r.Lock), truth(s.Lock), w.ax.lock.has && in.lock.has},
		{"CACHE", uint64(r.Cache), uint64(s.Cache), w.ax.cache.has && in.cache.has},
		{"PROT", uint64(r.Prot), uint64(s.Prot), w.ax.prot.has && in.prot.has},
		{"QOS", uint64(r.QoS), uint64(s.QoS), w.ax.qos.has && in.qos.has},
		{"REGION", uint64(r.Region), uint64(s.Region), w.ax.region.has && in.region.has},
		{"USER", word(user), j.User & w.p.user.mask, w.ch == axi4.AW && user != nil && w.p.user.has},
	} {
		if f.judged && f.got != f.want {
			return fmt.Sprintf("%s%s of the burst at %#x is %#x; transfer %d asked for %#x", w.ch, f.name, r.Addr, f.got, w.job, f.want)
		}
	}
	return ""
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// word is the lowest word, 0 if there is none.
func word(w []uint64) uint64 {
	if len(w) == 0 {
		return 0
	}
	return w[0]
}
