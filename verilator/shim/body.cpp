// The body of the C++ side. A header generated per design comes before it: it
// includes the model, defines its inputs and outputs as load_inputs and
// store_outputs, its clocks and resets, and the tables registers and memories.

namespace {

// What an element of a register or memory occupies in the model's data.
size_t element_bytes(uint32_t width) {
    return width <= 8 ? 1 : width <= 16 ? 2 : width <= 32 ? 4 : width <= 64 ? 8 : (width + 31) / 32 * 4;
}

inline void get(const void* from, uint32_t width, uint64_t* to) {
    if (width <= 8) *to = *static_cast<const CData*>(from);
    else if (width <= 16) *to = *static_cast<const SData*>(from);
    else if (width <= 32) *to = *static_cast<const IData*>(from);
    else if (width <= 64) *to = *static_cast<const QData*>(from);
    else {
        to[(width - 1) / 64] = 0;
        memcpy(to, from, element_bytes(width));
    }
}

inline void set(void* to, uint32_t width, const uint64_t* from) {
    const uint64_t mask = ~UINT64_C(0) >> (-width & 63);  // of the last word
    if (width <= 8) *static_cast<CData*>(to) = *from & mask;
    else if (width <= 16) *static_cast<SData*>(to) = *from & mask;
    else if (width <= 32) *static_cast<IData*>(to) = *from & mask;
    else if (width <= 64) *static_cast<QData*>(to) = *from & mask;
    else {
        const size_t whole = (width - 1) / 64 * 8;
        const uint64_t last = from[whole / 8] & mask;
        memcpy(to, from, whole);
        memcpy(static_cast<char*>(to) + whole, &last, element_bytes(width) - whole);
    }
}

struct Instance {
    VerilatedContext context;
    std::unique_ptr<Model> model;
    const uint64_t* in;
    uint64_t* out;
    uint64_t* state;  // snapshot of the registers, null where there is none
    std::vector<void*> data;  // where registers, then memories, live in the model
    std::string text;  // printed since the last call
    uint64_t stops = 0;  // failed assertions, $stop and $finish
    bool written = false;  // registers or memories, since the logic settled
};

// The instance that is running on this thread: what the runtime prints and stops
// does not say for which model.
thread_local Instance* running = nullptr;

// Makes an instance the running one while it lives. Calls may come from any thread.
struct Run {
    explicit Run(Instance* i) {
        running = i;
        Verilated::threadContextp(&i->context);
    }
    ~Run() { running = nullptr; }
};

void* find(VerilatedContext& context, const Variable& v) {
    const VerilatedScope* scope = context.scopeFind(v.scope);
    if (!scope) return nullptr;
    VerilatedVar* var = scope->varFind(v.name);
    if (!var) var = scope->varFind((std::string("__SYM__") + v.name).c_str());
    return var ? var->datap() : nullptr;
}

constexpr uint64_t all_domains = ~UINT64_C(0);

// Brings the clocks to rest with the present inputs, and the outputs up to date.
void settle(Instance* i) {
    Model& m = *i->model;
    idle_clocks(m);
    if (i->written) {
        // Logic follows inputs and clocked registers; what was written from
        // outside it does not notice.
        settle_all(m.rootp);
        i->written = false;
    }
    m.eval();
}

// One cycle, with an edge of the domains whose bits are set: all clocks move before
// anything reacts.
void cycle(Instance* i, uint64_t domains) {
    settle(i);
    store_outputs(*i->model, i->out);
    move_clocks(*i->model, domains);
    i->model->eval();
}

void snapshot(Instance* i) {
    uint64_t* to = i->state;
    if (!to) return;
    for (size_t n = 0; n < register_count; ++n) {
        get(i->data[n], registers[n].width, to);
        to += (registers[n].width + 63) / 64;
    }
}

const Variable& variable(uint64_t n) {
    return n < register_count ? registers[n] : memories[n - register_count];
}

void stopped(const char* what, const char* file, int line) {
    if (!running) return;
    ++running->stops;
    running->text += what;
    running->text += " at ";
    running->text += file;
    running->text += ":" + std::to_string(line) + "\n";
}

}  // namespace

extern "C" void millrace_print(const char* format, ...) {
    if (!running || running->text.size() > 1 << 16) return;
    char line[1024];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (n > 0) running->text.append(line, std::min<size_t>(n, sizeof line - 1));
}

void vl_stop(const char* file, int line, const char*) { stopped("stop", file, line); }
void vl_finish(const char* file, int line, const char*) { stopped("finish", file, line); }
void vl_fatal(const char* file, int line, const char*, const char* msg) {
    if (running) running->text += std::string(msg) + "\n";
    stopped("fatal error", file, line);
}

#define API extern "C" __attribute__((visibility("default")))

// Makes a model; null, with the name of the variable in the text at name, if
// the model lacks one. Random initial values start from the seed, zero gives zeros.
API void* millrace_new(const uint64_t* in, uint64_t* out, uint64_t* state, uint64_t seed, char* name, uint64_t name_size) {
    // The runtime's random numbers start anew, for all threads, at every seed.
    static std::mutex making;
    const std::lock_guard<std::mutex> lock(making);
    std::unique_ptr<Instance> i(new Instance);
    const Run run(i.get());
    i->context.randReset(seed ? 2 : 0);
    if (seed) i->context.randSeed(static_cast<int>((seed ^ seed >> 31 ^ seed >> 62) & 0x7fffffff) | 1);
    i->context.fatalOnError(false);
    i->in = in;
    i->out = out;
    i->state = state;
    i->model.reset(new Model(&i->context, ""));
    for (size_t n = 0; n < register_count + memory_count; ++n) {
        void* data = find(i->context, variable(n));
        if (!data) {
            snprintf(name, name_size, "%s.%s", variable(n).scope, variable(n).name);
            return nullptr;
        }
        i->data.push_back(data);
    }
    Model& m = *i->model;
    idle_clocks(m);
    release_resets(m);
    load_inputs(m, in);
    m.eval();
    return i.release();
}

API void millrace_free(Instance* i) {
    Verilated::threadContextp(&i->context);  // the model takes its scopes out of the thread's context
    delete i;
    Verilated::threadContextp(nullptr);
}

// Settles the logic and publishes the outputs. Like those below it returns the
// number of stops since the start.
API uint64_t millrace_eval(Instance* i) {
    const Run run(i);
    Model& m = *i->model;
    load_inputs(m, i->in);
    settle(i);
    store_outputs(m, i->out);
    return i->stops;
}

// Runs cycles with the present inputs, until a stop, and takes a snapshot.
API uint64_t millrace_run(Instance* i, uint64_t cycles, uint64_t* done) {
    const Run run(i);
    load_inputs(*i->model, i->in);
    const uint64_t stops = i->stops;
    uint64_t n = 0;
    while (n < cycles && i->stops == stops) {
        cycle(i, all_domains);
        ++n;
    }
    *done = n;
    snapshot(i);
    return i->stops;
}

// One cycle, in which some domains have an edge.
API uint64_t millrace_tick(Instance* i, uint64_t domains) {
    const Run run(i);
    load_inputs(*i->model, i->in);
    cycle(i, domains);
    snapshot(i);
    return i->stops;
}

API uint64_t millrace_reset(Instance* i, uint64_t cycles) {
    const Run run(i);
    Model& m = *i->model;
    load_inputs(m, i->in);
    for (uint64_t n = 0; n < cycles; ++n) {
        settle(i);
        move_clocks(m, all_domains);
        assert_resets(m);
        m.eval();
    }
    idle_clocks(m);
    release_resets(m);
    m.eval();
    store_outputs(m, i->out);
    snapshot(i);
    return i->stops;
}

API void millrace_snapshot(Instance* i) { snapshot(i); }

// Copies elements of a variable from the model, or to it. Registers have one.
API void millrace_get(Instance* i, uint64_t n, uint64_t first, uint64_t count, uint64_t* to) {
    const uint32_t width = variable(n).width;
    const char* from = static_cast<const char*>(i->data[n]) + first * element_bytes(width);
    for (uint64_t e = 0; e < count; ++e) get(from + e * element_bytes(width), width, to + e * ((width + 63) / 64));
}

API void millrace_set(Instance* i, uint64_t n, uint64_t first, uint64_t count, const uint64_t* from) {
    const uint32_t width = variable(n).width;
    char* to = static_cast<char*>(i->data[n]) + first * element_bytes(width);
    i->written = true;
    for (uint64_t e = 0; e < count; ++e) set(to + e * element_bytes(width), width, from + e * ((width + 63) / 64));
}

// Copies out what was printed, and forgets it.
API void millrace_text(Instance* i, char* to, uint64_t size) {
    snprintf(to, size, "%s", i->text.c_str());
    i->text.clear();
}
