// Signs in names: which lines of a names.dmp have one of several words in their scientific name.
//
// An automaton of Aho and Corasick reads each byte once, whatever the number of words. `core/placeholders.py` builds
// it, and `io/taxdump.py` calls this for dumps of millions of names.
#include "parts.hpp"
#include "python.hpp"

namespace tripletree {
namespace {

using Bytes = Vector<unsigned char>;

// The names that were found: the number of each, where it stands in the text, and the bits of its signs.
struct Found {
    std::vector<Count> id, start, stop;
    std::vector<unsigned char> bits;
};

// Reads lines `id\t|\tname\t|\tunique name\t|\tscientific name\t|`. Lines of another kind are passed. A name stands
// between two bytes 0 for the automaton: after state s and byte x it is in state step[256 * s + x], and 0 is the state
// before all. mark: the bits of the signs that end in each state.
Found scan(const unsigned char* text, Count n, const unsigned char* step, const unsigned char* mark,
           Interrupts& watch) {
    Found found;
    const auto is_end = [](unsigned char x) { return x == '\t' || x == '\n'; };  // of a field. The text ends in one
    Count i = 0;
    while (i < n) {  // a line at a time
        Count tabs = 0, number = 0, start = 0, stop = 0, kind = 0;
        unsigned char bits = 0;
        for (; text[i] != '\n'; ++i) {
            if (text[i] == '\t') {
                ++tabs;
                if (tabs == 3) stop = i;
                if (tabs == 6) kind = i + 1;
            }
            if (tabs == 2 && text[i] == '\t') {
                start = i + 1;
                const unsigned char* after = step + 256 * step[0];  // what the automaton does after its state
                for (; !is_end(text[i + 1]); ++i) {
                    const unsigned char state = after[text[i + 1]];
                    bits |= mark[state];
                    after = step + 256 * state;
                }
                if (text[i + 1] == '\t') bits |= mark[after[0]];
            } else if (tabs == 0 && '0' <= text[i] && text[i] <= '9') {
                number = static_cast<Count>(static_cast<std::uint64_t>(number) * 10 + text[i] - '0');  // may wrap
            }
        }
        if (bits != 0 && tabs == 7 && text[kind] == 's' && text[kind + 1] == 'c') {
            found.id.push_back(number);
            found.start.push_back(start);
            found.stop.push_back(stop);
            found.bits.push_back(bits);
        }
        ++i;
        watch.check(i, 32);
    }
    return found;
}

nb::object scientific_names_with_signs(const Bytes& text, const Bytes& step, const Bytes& mark) {
    require(text.size() == 0 || text.data()[text.size() - 1] == '\n', "a text ends in a line end");
    require(mark.size() > 0 && step.size() == 256 * mark.size(), "256 steps for each state");
    for (std::size_t i = 0; i < step.size(); ++i) require(step.data()[i] < mark.size(), "no such state");
    Found found = run_long([&](Interrupts& watch) {
        return scan(text.data(), static_cast<Count>(text.size()), step.data(), mark.data(), watch);
    });
    return nb::make_tuple(given(std::move(found.id)), given(std::move(found.start)), given(std::move(found.stop)),
                          given<unsigned char>(std::move(found.bits)));
}

}  // namespace

void define_signs(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("signs");
    m.def("scientific_names_with_signs", &scientific_names_with_signs, "text"_a, "step"_a, "mark"_a);
}

}  // namespace tripletree
