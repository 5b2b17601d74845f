/* Speed reference: `simple` against itself in `eaai`, with all the work that the engine does.
 *
 * The program reads the rules from memory, writes a view before each decision, calls policies through
 * pointers, checks actions, draws addressable random numbers, and fills all columns of a batch row.
 * The rows equal the rows of the engine. `simgin bench` compiles the program (`checks/c_program.py`)
 * together with a header, columns.h, that defines the columns. Comments state only what differs from
 * `simgin/core`, where functions and fields of the same names are documented.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif
#include "columns.h"

typedef int64_t i64;
typedef uint64_t u64;
typedef uint32_t u32;

/* ---- cards ---- */

#define ALL_CARDS ((1ULL << 52) - 1)
#define ACES (1ULL | 1ULL << 13 | 1ULL << 26 | 1ULL << 39)
#define NOT_ACES (ALL_CARDS & ~ACES)
#define NOT_KINGS (ALL_CARDS & ~(ACES << 12))
#define ALL_RANKS 0x1FFFULL
#define HUGE_DEADWOOD (1 << 20)
#define CARD(card) (1ULL << (card))

static inline int popcount(u64 cards) { return __builtin_popcountll(cards); }
static inline int lowest_bit(u64 cards) { return __builtin_ctzll(cards); }
static inline int highest_bit(u64 cards) { return 63 - __builtin_clzll(cards); }

static inline u64 ranks_of(u64 cards)
{
    u64 two_suits = cards | cards >> 26;
    return (two_suits | two_suits >> 13) & ALL_RANKS;
}

static inline u64 cards_in_runs(u64 hand)
{
    u64 pairs = hand & hand >> 1 & NOT_KINGS, triples = pairs & pairs >> 1;
    return triples | triples << 1 | triples << 2;
}

static inline u64 cards_in_sets(u64 hand)
{
    u64 s = hand, h = hand >> 13, d = hand >> 26, c = hand >> 39;
    u64 ranks = (s & h & (d | c)) | (d & c & (s | h));
    return hand & (ranks & ALL_RANKS) * ACES;
}

/* ---- rules, view and state ---- */

enum { STOCK, PILE };
enum { TAKE, DISCARD, KNOCK, N_SLOTS = 6 };
enum { RESULT_KNOCK, RESULT_GIN, RESULT_UNDERCUT = 4, RESULT_VOID = 6, RESULT_STALLED };

typedef struct {
    i64 take_discard, discard_ban, knock_limit, stock_reserve, max_turns, take_to_knock, shot, big_gin;
    i64 stock_end, die, gin_bonus, undercut_bonus, by_planes, planes[4], value[13], peers[13];
} Rules;

typedef struct {
    i64 hand, count, upcard, pile, known, shed, unseen, stock, deck_left, turn, own_turn, turns, dealer;
    i64 seat, limit, multiplier, own_points, other_points, own_deals, other_deals, own_games;
    i64 other_games, own_opened, other_opened, closed, deal, goal, target, stake, owner, offered, taken;
    i64 taken_offer, drawn, ending, ending_card, ending_count, noise, phase, legal, least, best;
    int8_t history[501][4];
} View;

typedef i64 (*Policy)(View *, Rules *, double *, i64);

typedef struct {
    i64 seed, unit, half, deal, shuffled, dealt, dealer, pile, top, upcard, limit, multiplier, stock;
    i64 turns, taken, drawn, phase, stake, owner, least, best, ending, ending_card, ending_count;
    i64 query_seat, query_slot, legal, log_mode, n_logged, n_scripted;
    i64 hand[2], known[2], shed[2], count[2], own_turns[2], n_random_numbers[2], random_slots[2], discards_first[2];
    double *vectors[2][N_SLOTS];
    i64 lengths[2][N_SLOTS];
    uint8_t pack[64];
    u64 words[32], spare[2][32];
    int8_t answers[2560];
    int kind, winner, knocker_deadwood, defender_deadwood, defender_before, laid_off, upcard_to;
    int score[2], takes[2], draws[2], dealt_deadwood[2];
} State;

/* Stop if the rules or an action need code that the program does not have. */
static __attribute__((noinline, noreturn)) void fail(void) { abort(); }

/* ---- deadwood ---- */

static inline int sum_values(u64 cards, Rules *rules)
{
    return popcount(cards & rules->planes[0]) + 2 * popcount(cards & rules->planes[1]) +
           4 * popcount(cards & rules->planes[2]) + 8 * popcount(cards & rules->planes[3]);
}

static inline u64 highest_value_cards(u64 cards, Rules *rules, i64 *value)
{
    u64 ranks = ranks_of(cards);
    int rank = highest_bit(ranks | 1);
    if (rules->value[0] > rules->value[rank] && ranks & 1)
        rank = 0;
    *value = rules->value[rank];
    return cards & rules->peers[rank] * ACES;
}

/* A way to resolve the conflicts of sets and runs: the ranks that form sets, and the cards that sets
 * of four leave to runs. */
typedef struct {
    u64 conflicts, spare_cards, ranks, left_to_runs;
} Resolution;

static inline Resolution first_resolution(u64 hand, u64 runs, u64 sets)
{
    u64 conflicts = ranks_of(runs & sets);
    u64 sets_of_four = conflicts & hand & hand >> 13 & hand >> 26 & hand >> 39;
    return (Resolution){conflicts, runs & sets_of_four * ACES, 0, 0};
}

/* Set the next resolution, and return 0 after the last one. */
static inline int next_resolution(Resolution *r)
{
    u64 available = r->spare_cards & r->ranks * ACES, cards = r->left_to_runs;
    do
        cards = (cards - available) & available;
    while (popcount(ranks_of(cards)) < popcount(cards));
    r->left_to_runs = cards;
    if (!cards)
        r->ranks = (r->ranks - r->conflicts) & r->conflicts;
    return r->ranks != 0;
}

static inline u64 melded_sets(u64 hand, const Resolution *r) { return hand & r->ranks * ACES & ~r->left_to_runs; }

static inline u64 find_unmatched_after_sets(u64 sets, u64 hand)
{
    u64 remaining = hand & ~sets;
    return remaining & ~cards_in_runs(remaining);
}

static __attribute__((noinline)) int deadwood_over_conflicts(u64 hand, u64 runs, u64 sets, Rules *rules)
{
    Resolution r = first_resolution(hand, runs, sets);
    int best = HUGE_DEADWOOD;
    hand &= ~sets | r.conflicts * ACES;
    do {
        int points = sum_values(find_unmatched_after_sets(melded_sets(hand, &r), hand), rules);
        best = points < best ? points : best;
    } while (next_resolution(&r));
    return best;
}

static inline int deadwood(u64 hand, Rules *rules)
{
    u64 runs = cards_in_runs(hand), sets = cards_in_sets(hand);
    if (runs & sets)
        return deadwood_over_conflicts(hand, runs, sets, rules);
    return sum_values(hand & ~(runs | sets), rules);
}

static __attribute__((noinline)) int best_discards_by_search(u64 hand, u64 legal, Rules *rules, u64 *cards)
{
    int best = HUGE_DEADWOOD;
    for (u64 left = legal; left; left &= left - 1) {
        int points = deadwood(hand & ~(left & -left), rules);
        if (points <= best)
            *cards = (points == best ? *cards : 0) | (left & -left);
        best = points < best ? points : best;
    }
    return best;
}

static __attribute__((noinline)) int best_discards_over_conflicts(u64 hand, u64 legal, Rules *rules, u64 *cards)
{
    u64 runs = cards_in_runs(hand), sets = cards_in_sets(hand);
    if (!(runs & sets))
        return best_discards_by_search(hand, legal, rules, cards);
    Resolution r = first_resolution(hand, runs, sets);
    u64 rest = hand & (~sets | r.conflicts * ACES), best_cards = 0;
    int best = HUGE_DEADWOOD;
    do {
        u64 unmatched = find_unmatched_after_sets(melded_sets(rest, &r), rest);
        if (!(unmatched & legal))
            return best_discards_by_search(hand, legal, rules, cards);
        i64 value;
        u64 candidates = highest_value_cards(unmatched & legal, rules, &value);
        int points = sum_values(unmatched, rules) - value;
        if (points < best) {
            best = points;
            best_cards = candidates;
        } else if (points == best)
            best_cards |= candidates;
    } while (next_resolution(&r));
    *cards = best_cards;
    return best;
}

static inline int best_discards(u64 hand, u64 legal, Rules *rules, u64 *cards)
{
    if (rules->by_planes) {
        u64 runs = cards_in_runs(hand), sets = cards_in_sets(hand), unmatched = hand & ~(runs | sets);
        if (!(runs & sets) && unmatched & legal) {
            i64 value;
            *cards = highest_value_cards(unmatched & legal, rules, &value);
            return sum_values(unmatched, rules) - value;
        }
    }
    return best_discards_over_conflicts(hand, legal, rules, cards);
}

/* ---- random numbers ---- */

static const u32 M0 = 0xD2511F53, M1 = 0xCD9E8D57, W0 = 0x9E3779B9, W1 = 0xBB67AE85;

/* Write eight blocks of Philox to out[8 * word + block]. */
static inline void write_random_blocks(u64 seed, u64 unit, u64 deal, u64 index, u64 domain, u64 *out)
{
    u32 k0 = seed, k1 = seed >> 32, high = unit >> 32 | deal << 16;
#ifdef __AVX2__
    const __m256i m0 = _mm256_set1_epi64x(M0), m1 = _mm256_set1_epi64x(M1);
    const __m256i low = _mm256_set1_epi64x(0xFFFFFFFF), four = _mm256_set1_epi64x(4);
    __m256i a[2], b[2], c[2], d[2]; /* two vectors with four blocks each */
    for (int v = 0; v < 2; v++) {
        a[v] = _mm256_set1_epi64x((u32)unit);
        b[v] = _mm256_set1_epi64x(high);
        c[v] = _mm256_add_epi64(_mm256_set1_epi64x(index), _mm256_set_epi64x(3, 2, 1, 0));
        c[v] = v ? _mm256_add_epi64(c[v], four) : c[v];
        d[v] = _mm256_set1_epi64x(domain);
    }
    for (int round = 0; round < 10; round++, k0 += W0, k1 += W1)
        for (int v = 0; v < 2; v++) {
            __m256i p0 = _mm256_mul_epu32(m0, a[v]), p1 = _mm256_mul_epu32(m1, c[v]);
            __m256i x = _mm256_xor_si256(_mm256_srli_epi64(p1, 32), b[v]);
            __m256i y = _mm256_xor_si256(_mm256_srli_epi64(p0, 32), d[v]);
            a[v] = _mm256_xor_si256(x, _mm256_set1_epi64x(k0));
            b[v] = _mm256_and_si256(p1, low);
            c[v] = _mm256_xor_si256(y, _mm256_set1_epi64x(k1));
            d[v] = _mm256_and_si256(p0, low);
        }
    for (int v = 0; v < 2; v++) {
        __m256i *block = (__m256i *)(out + 4 * v);
        _mm256_storeu_si256(block, a[v]);
        _mm256_storeu_si256(block + 2, b[v]);
        _mm256_storeu_si256(block + 4, c[v]);
        _mm256_storeu_si256(block + 6, d[v]);
    }
#else
    for (int block = 0; block < 8; block++) {
        u32 a = unit, b = high, c = index + block, d = domain, key0 = k0, key1 = k1;
        for (int round = 0; round < 10; round++, key0 += W0, key1 += W1) {
            u64 p0 = (u64)M0 * a, p1 = (u64)M1 * c;
            a = p1 >> 32 ^ b ^ key0;
            b = p1;
            c = p0 >> 32 ^ d ^ key1;
            d = p0;
        }
        out[block] = a;
        out[8 + block] = b;
        out[16 + block] = c;
        out[24 + block] = d;
    }
#endif
}

static inline void shuffle_positions(State *state, int n)
{
    int first = state->shuffled, end = first + n < 52 ? first + n : 52;
    if (!(first & 31))
        write_random_blocks(state->seed, state->unit, state->deal, first >> 2, 0, state->words);
    for (int i = first; i < end; i++) {
        u64 word = state->words[8 * (i & 3) + (i >> 2 & 7)];
        int j = i + (int)(word * (52 - i) >> 32);
        uint8_t card_i = state->pack[i], card_j = state->pack[j];
        state->pack[i] = card_j;
        state->pack[j] = card_i;
    }
    state->shuffled = first + n;
}

static inline i64 deal_next_card(State *state)
{
    if (state->dealt >= state->shuffled)
        shuffle_positions(state, 8);
    return state->pack[state->dealt++];
}

/* ---- policies of `simple` ---- */

static i64 take_for_any_meld(View *view, Rules *rules, double *params, i64 n)
{
    u64 hand = view->hand | CARD(view->taken_offer);
    u64 melded = rules->by_planes ? cards_in_runs(hand) | cards_in_sets(hand) : 0;
    return melded >> view->taken_offer & 1 ? 1 : view->legal & 4 ? 2 : 0;
}

static i64 discard_without_repetition(View *view, Rules *rules, double *params, i64 n)
{
    u64 cards = view->best;
    if (view->taken >= 0) {
        u64 repeating = 0;
        for (i64 i = 0; i < view->turns; i++) {
            int8_t *turn = view->history[i];
            if (turn[0] != view->seat)
                continue;
            if (turn[2] == view->taken)
                repeating |= CARD(turn[3]);
            else if (turn[3] == view->taken)
                repeating |= CARD(turn[2]);
        }
        u64 new_discards = view->legal & ~repeating;
        if (new_discards && new_discards != (u64)view->legal)
            best_discards(view->hand, new_discards, rules, &cards);
    }
    for (int k = (u64)view->noise * popcount(cards) >> 53; k; k--)
        cards &= cards - 1;
    return lowest_bit(cards);
}

static i64 knock_with_limit(View *view, Rules *rules, double *params, i64 n)
{
    return view->ending_count <= params[0] || view->ending >= 2;
}

/* ---- decisions ---- */

static inline void write_turn_fields(State *state, View *view, int seat)
{
    view->count = state->count[seat];
    view->known = state->known[!seat];
    view->shed = state->shed[!seat];
    view->turns = state->turns;
    view->turn = state->turns + 1;
    view->own_turn = state->own_turns[seat] + 1;
}

static inline void write_card_fields(State *state, View *view, int seat)
{
    i64 hand = state->hand[seat];
    view->hand = hand;
    view->pile = state->pile;
    view->unseen = ALL_CARDS & ~(hand | state->pile | state->known[!seat]);
    view->stock = state->stock;
    view->taken = state->taken;
    view->drawn = state->drawn;
    view->least = state->least;
    view->best = state->best;
    view->phase = state->phase;
}

static inline void write_ending_fields(State *state, View *view)
{
    view->ending = state->ending;
    view->ending_card = state->ending_card;
    view->ending_count = state->ending_count;
}

static void write_deal_fields(State *state, View *view, int seat)
{
    view->upcard = state->upcard;
    view->deck_left = -1;
    view->dealer = state->dealer;
    view->seat = seat;
    view->limit = state->limit;
    view->multiplier = state->multiplier;
    view->own_points = view->other_points = view->own_deals = view->other_deals = 0;
    view->own_games = view->other_games = 0;
    view->deal = state->deal;
    view->goal = 1;
    view->target = 100;
    view->stake = state->stake;
    view->owner = state->owner;
    view->offered = 0;
    write_ending_fields(state, view);
}

static inline i64 next_random_number(State *state, int seat, int strategy)
{
    i64 i = state->n_random_numbers[seat]++;
    u64 *unused = state->spare[seat];
    if (!(i & 15))
        write_random_blocks(state->seed, state->unit, state->deal, i >> 1, 1 + strategy, unused);
    u64 *word = unused + 16 * (i & 1) + (i >> 1 & 7);
    return word[0] << 21 ^ word[8] >> 11;
}

static inline i64 query_policy_with_view(State *state, Rules *rules, View *view, int seat, int slot, u64 legal, Policy policy)
{
    int strategy = seat ^ state->half;
    view->legal = legal;
    view->taken_offer = slot == TAKE ? state->top : -1;
    view->noise = state->random_slots[strategy] >> slot & 1 ? next_random_number(state, seat, strategy) : 0;
    state->query_seat = seat;
    state->query_slot = slot;
    state->legal = legal;
    if (state->log_mode > 0)
        fail();
    i64 action = state->n_logged < state->n_scripted
                     ? state->answers[state->n_logged]
                     : policy(view, rules, state->vectors[strategy][slot], state->lengths[strategy][slot]);
    if (action < 0 || action > 63 || !(legal >> action & 1))
        fail();
    if (state->log_mode)
        state->answers[state->n_logged++] = action;
    return action;
}

static inline i64 query_policy(State *state, Rules *rules, View *view, int seat, int slot, u64 legal, Policy policy)
{
    write_turn_fields(state, view, seat);
    write_card_fields(state, view, seat);
    return query_policy_with_view(state, rules, view, seat, slot, legal, policy);
}

static inline void record_turn(View *view, int row, int seat, int source, int card, int discard)
{
    int8_t *turn = view->history[row];
    turn[0] = seat;
    turn[1] = source;
    turn[2] = card;
    turn[3] = discard;
}

static inline void record_turn_end(State *state, View *view, View *other, int seat, int source, int discard)
{
    int card = source ? state->taken : state->drawn;
    record_turn(view, state->turns, seat, source, card, discard);
    record_turn(other, state->turns, seat, source, source ? card : -1, discard);
    state->turns++;
    state->own_turns[seat]++;
}

/* ---- showdown ---- */

static inline u64 find_meld_extensions(u64 meld)
{
    u64 lowest = meld & -meld;
    if (!(meld & meld >> 1)) /* a set, or no meld */
        return ranks_of(meld) * ACES & ~meld;
    return (lowest & ~ACES) >> 1 | ((meld + lowest) & ~ACES & ALL_CARDS);
}

static inline void write_melds(u64 runs, u64 sets, u64 *melds)
{
    int n = 0;
    memset(melds, 0, 3 * sizeof *melds);
    while (runs) {
        int shift = lowest_bit(runs) / 13 * 13;
        u64 lane = runs >> shift & ALL_RANKS, run = lane & ~(lane + (lane & -lane));
        melds[n] = run << shift;
        runs ^= melds[n++];
    }
    for (u64 ranks = ranks_of(sets); ranks; ranks &= ranks - 1)
        melds[n++] = sets & (ranks & -ranks) * ACES;
}

/* The position of a card's name in alphabetical order. */
static int name_digit(int card)
{
    static const int ranks[13] = {8, 0, 1, 2, 3, 4, 5, 6, 7, 12, 9, 11, 10};
    return ranks[card % 13] * 4 + 4 - card / 13;
}

static i64 make_meld_name_key(u64 meld)
{
    u64 key = 0;
    int n = 0;
    for (u64 ranks = ranks_of(meld); ranks; ranks &= ranks - 1)
        for (u64 cards = meld & (ranks & -ranks) * ACES; cards && n < 10; cards &= cards - 1, n++)
            key = key << 6 | name_digit(lowest_bit(cards));
    return key << 6 * (10 - n);
}

static void sorted_name_keys(const u64 *melds, i64 *keys)
{
    for (int i = 0; i < 3; i++) {
        int j = i;
        i64 key = make_meld_name_key(melds[i]);
        for (; j && keys[j - 1] > key; j--)
            keys[j] = keys[j - 1];
        keys[j] = key;
    }
}

static int is_name_before(const u64 *melds, const u64 *others)
{
    i64 keys[3], other_keys[3];
    sorted_name_keys(melds, keys);
    sorted_name_keys(others, other_keys);
    for (int i = 0; i < 3; i++)
        if (keys[i] != other_keys[i])
            return keys[i] < other_keys[i];
    return 0;
}

static __attribute__((noinline)) int find_shown_melding(u64 hand, u64 discard, Rules *rules, u64 *best_melds)
{
    u64 runs = cards_in_runs(hand), sets = cards_in_sets(hand);
    if (!(runs & sets)) {
        write_melds(runs, sets, best_melds);
        return sum_values(hand & ~(runs | sets), rules);
    }
    Resolution r = first_resolution(hand, runs, sets);
    u64 free_sets = sets & ~(r.conflicts * ACES), melds[3];
    int best = HUGE_DEADWOOD, best_extensions = 0, best_n = 0;
    do {
        u64 melded = free_sets | melded_sets(hand, &r), unmatched = find_unmatched_after_sets(melded, hand);
        int points = sum_values(unmatched, rules);
        if (points > best)
            continue;
        write_melds(hand & ~(melded | unmatched), melded, melds);
        u64 fitting = find_meld_extensions(melds[0]) | find_meld_extensions(melds[1]) | find_meld_extensions(melds[2]);
        int extensions = popcount(fitting & ~hand & ~discard);
        int n = (melds[0] != 0) + (melds[1] != 0) + (melds[2] != 0);
        if (points == best) {
            if (extensions != best_extensions ? extensions > best_extensions
                                              : n != best_n ? n > best_n : !is_name_before(melds, best_melds))
                continue;
        }
        best = points;
        best_extensions = extensions;
        best_n = n;
        memcpy(best_melds, melds, sizeof melds);
    } while (next_resolution(&r));
    return best;
}

/* Write the combinations of cards that can be laid off on a meld, and return their number. */
static inline int write_layoff_options(u64 meld, u64 hand, u64 *options)
{
    u64 below[12] = {0}, above[12] = {0};
    int n_below = 0, n_above = 0, n = 0;
    if (!(meld & meld >> 1)) { /* a set, or no meld */
        options[0] = 0;
        options[1] = find_meld_extensions(meld) & hand;
        return options[1] ? 2 : 1;
    }
    for (u64 card = meld & -meld; (card = (card & ~ACES) >> 1) & hand; n_below++)
        below[n_below + 1] = below[n_below] | card;
    for (u64 card = CARD(highest_bit(meld)); (card = (card & NOT_KINGS) << 1) & hand; n_above++)
        above[n_above + 1] = above[n_above] | card;
    for (int i = 0; i <= n_below; i++)
        for (int j = 0; j <= n_above; j++)
            options[n++] = below[i] | above[j];
    return n;
}

static __attribute__((noinline)) int lay_off(u64 hand, const u64 *melds, Rules *rules, u64 *laid_off)
{
    u64 options[3][66];
    int n[3], best = HUGE_DEADWOOD;
    *laid_off = 0;
    if (!(hand & (find_meld_extensions(melds[0]) | find_meld_extensions(melds[1]) | find_meld_extensions(melds[2]))))
        return deadwood(hand, rules);
    for (int i = 0; i < 3; i++)
        n[i] = write_layoff_options(melds[i], hand, options[i]);
    for (int i = 0; i < n[0]; i++)
        for (int j = 0; j < n[1]; j++)
            for (int k = 0; k < n[2]; k++) {
                u64 a = options[0][i], b = options[1][j], c = options[2][k], cards = a | b | c;
                if (a & b || (a | b) & c)
                    continue;
                int points = deadwood(hand & ~cards, rules);
                if (points < best || (points == best && popcount(cards) < popcount(*laid_off))) {
                    best = points;
                    *laid_off = cards;
                }
            }
    return best;
}

static void end_deal(State *state, Rules *rules, int seat)
{
    u64 melds[3], laid_off = 0, discard = CARD(state->ending_card);
    state->hand[seat] &= ~discard;
    state->pile |= discard;
    int own = find_shown_melding(state->hand[seat], discard, rules, melds);
    int other = state->defender_before = deadwood(state->hand[!seat], rules);
    if (own)
        other = lay_off(state->hand[!seat], melds, rules, &laid_off);
    state->knocker_deadwood = own;
    state->defender_deadwood = other;
    state->laid_off = popcount(laid_off);
    if (own && other <= own) {
        state->kind = RESULT_UNDERCUT;
        state->winner = !seat;
        state->score[!seat] = own - other + rules->undercut_bonus;
    } else {
        state->kind = own ? RESULT_KNOCK : RESULT_GIN;
        state->winner = seat;
        state->score[seat] = own ? other - own : other + rules->gin_bonus;
    }
}

/* ---- turns ---- */

static inline void propose_ending(State *state, int ending, int card, int count)
{
    state->ending = ending;
    state->ending_card = card;
    state->ending_count = count;
}

static inline void reset_turn(State *state)
{
    state->taken = state->drawn = state->least = -1;
    state->best = 0;
    propose_ending(state, 0, -1, -1);
}

static inline void clear_deal(State *state, Rules *rules, int dealer)
{
    state->dealer = dealer;
    state->dealt = state->pile = state->turns = state->phase = 0;
    state->stock = 31;
    state->limit = rules->knock_limit;
    state->multiplier = 1;
    reset_turn(state);
    for (int i = 0; i < 2; i++) {
        state->known[i] = state->shed[i] = state->own_turns[i] = state->n_random_numbers[i] = 0;
        state->takes[i] = state->draws[i] = state->score[i] = 0;
    }
    state->kind = state->winner = -1;
    state->upcard_to = 2;
    state->knocker_deadwood = state->defender_deadwood = state->defender_before = state->laid_off = 0;
}

static inline void deal_cards(State *state, Rules *rules)
{
    u64 hands[2] = {0, 0};
    for (int i = 0; i < 20; i++)
        hands[i & 1] |= CARD(state->pack[i]);
    state->dealt = 20;
    state->top = state->upcard = deal_next_card(state);
    state->pile = CARD(state->top);
    for (int seat = 0; seat < 2; seat++) {
        state->hand[seat] = hands[seat];
        state->count[seat] = state->dealt_deadwood[seat] = deadwood(hands[seat], rules);
    }
}

static inline void draw_card(State *state, Rules *rules, int seat, int source)
{
    if (source == STOCK) {
        if (state->top >= 0 && rules->take_discard)
            state->shed[seat] |= CARD(state->top);
        state->drawn = deal_next_card(state);
        state->stock--;
        state->draws[seat]++;
        state->hand[seat] |= CARD(state->drawn);
    } else {
        state->taken = state->top;
        state->pile ^= CARD(state->top);
        state->known[seat] |= CARD(state->top);
        state->hand[seat] |= CARD(state->top);
        state->takes[seat]++;
    }
}

/* Play the decisions about the first upcard; return the seat to move, and write the draw source. */
static inline int play_opening(State *state, Rules *rules, View **views, Policy (*policies)[3], int *source)
{
    int seat = !state->dealer;
    for (int turn = 0; turn < 2; turn++, seat = !seat) {
        *source = query_policy(state, rules, views[seat], seat, TAKE, 3, policies[seat][TAKE]);
        if (*source) {
            state->upcard_to = turn;
            return seat;
        }
        state->shed[seat] |= CARD(state->top);
    }
    return seat;
}

static inline u64 find_permitted_discards(State *state, Rules *rules, u64 hand)
{
    u64 banned = 0;
    if (state->taken >= 0 && rules->discard_ban != 2)
        banned = CARD(state->taken);
    if (state->drawn >= 0 && rules->discard_ban == 1)
        banned |= CARD(state->drawn);
    return hand & ~banned;
}

static void play_deal(State *restrict state, Rules *restrict rules, View *restrict view0, View *restrict view1, Policy (*policies)[3])
{
    View *views[2] = {view0, view1};
    for (int i = 0; i < 52; i++)
        state->pack[i] = i;
    state->shuffled = 0;
    shuffle_positions(state, 32);
    memset(view0->history, 0, 4 * state->turns);
    memset(view1->history, 0, 4 * state->turns);
    clear_deal(state, rules, state->unit & 1);
    deal_cards(state, rules);
    write_deal_fields(state, view0, 0);
    write_deal_fields(state, view1, 1);
    int source, seat = play_opening(state, rules, views, policies, &source);
    for (;;) {
        View *view = views[seat], *other = views[!seat];
        state->phase = 1;
        draw_card(state, rules, seat, source);
        if (rules->stock_end == 1 && source == STOCK && state->stock <= rules->stock_reserve)
            fail();
        u64 hand = state->hand[seat], best, legal = find_permitted_discards(state, rules, hand);
        int least = best_discards(hand, legal, rules, &best);
        state->least = least;
        state->best = best;
        if (!state->discards_first[seat ^ state->half] || rules->big_gin)
            fail();
        if (state->turns == 0 || !rules->take_discard)
            write_turn_fields(state, view, seat);
        write_card_fields(state, view, seat);
        i64 card = query_policy_with_view(state, rules, view, seat, DISCARD, legal, policies[seat][DISCARD]);
        u64 mask = CARD(card);
        int left = best >> card & 1 ? least : deadwood(hand & ~mask, rules);
        if (rules->shot || rules->take_to_knock == 1)
            fail();
        if (left <= state->limit) {
            propose_ending(state, 1, card, left);
            write_ending_fields(state, view);
            if (query_policy(state, rules, view, seat, KNOCK, 3, policies[seat][KNOCK])) {
                end_deal(state, rules, seat);
                record_turn_end(state, view, other, seat, source, card);
                return;
            }
            propose_ending(state, 0, -1, -1);
            write_ending_fields(state, view);
        }
        state->hand[seat] &= ~mask;
        state->known[seat] &= ~mask;
        state->shed[seat] |= mask;
        state->pile |= mask;
        state->top = card;
        state->count[seat] = left;
        record_turn_end(state, view, other, seat, source, card);
        reset_turn(state);
        if (state->stock <= rules->stock_reserve) {
            state->kind = RESULT_VOID;
            return;
        }
        if (state->turns >= rules->max_turns) {
            state->kind = RESULT_STALLED;
            return;
        }
        state->phase = 1;
        if (rules->die)
            fail();
        seat = !seat;
        source = query_policy(state, rules, views[seat], seat, TAKE, 3, policies[seat][TAKE]);
    }
}

/* ---- batch rows ---- */

static inline int min_int(int number, int limit) { return number < limit ? number : limit; }

static inline void add_side_statistics(const State *state, int seat, i64 *statistics)
{
    if (state->winner == seat) {
        statistics[state->kind]++;
        statistics[STAT_a_deal_win - STAT_a_won_knock]++;
    }
    statistics[STAT_a_points - STAT_a_won_knock] += state->score[seat];
    statistics[STAT_a_takes - STAT_a_won_knock] += state->takes[seat];
    statistics[STAT_a_draws - STAT_a_won_knock] += state->takes[seat] + state->draws[seat];
}

static inline void add_deal_statistics(const State *state, i64 *statistics, i64 *row)
{
    int margin = state->score[0] - state->score[1], points = state->score[0] + state->score[1];
    statistics[STAT_deals]++;
    statistics[STAT_knock + state->kind]++;
    statistics[STAT_turns] += state->turns;
    statistics[STAT_upcard_first + state->upcard_to]++;
    row[TURNS_HISTOGRAM_START + min_int(state->turns, N_TURNS_BINS - 1)]++;
    if (state->winner >= 0) {
        statistics[STAT_decided]++;
        statistics[STAT_first_player_win] += state->winner != state->dealer;
        statistics[STAT_points_scored] += points;
        statistics[STAT_points_knock + state->kind] += points;
    }
    if (state->kind == RESULT_KNOCK || state->kind == RESULT_UNDERCUT) {
        statistics[STAT_showdowns]++;
        statistics[STAT_knock_count] += state->knocker_deadwood;
        statistics[STAT_defender_count] += state->defender_deadwood;
        statistics[STAT_defender_before] += state->defender_before;
        statistics[STAT_laid_off] += state->laid_off;
        statistics[STAT_laid_off_any] += state->laid_off > 0;
        statistics[STAT_tie] += state->knocker_deadwood == state->defender_deadwood;
        row[DEADWOOD_HISTOGRAM_START + min_int(state->knocker_deadwood, N_DEADWOOD_BINS - 1)]++;
    }
    add_side_statistics(state, 0, statistics + STAT_a_won_knock);
    add_side_statistics(state, 1, statistics + STAT_b_won_knock);
    statistics[STAT_a_margin] += margin;
    row[SQUARED_DEAL_MARGIN_COLUMN] += margin * margin;
    row[DEADWOOD_DIFFERENCE_COLUMN] += state->dealt_deadwood[state->dealer] - state->dealt_deadwood[!state->dealer];
}

static inline void add_unit_to_batch_row(i64 *statistics, i64 *row)
{
    static const int denominators[] = {DENOMINATORS}, others[] = {STATISTICS_NOT_PER_DEAL};
    i64 deals = statistics[STAT_deals];
    row[UNITS_COLUMN]++;
    row[WIN_RATE_HISTOGRAM_START + 2 * (deals + statistics[STAT_a_deal_win] - statistics[STAT_b_deal_win])]++;
    for (int i = 0; i < N_STATISTICS; i++)
        row[SUMS_START + i] += statistics[i];
    for (int i = 0; i < N_STATISTICS; i++)
        row[SQUARES_START + i] += statistics[i] * statistics[i];
    for (int i = 0; i < N_STATISTICS; i++)
        row[PRODUCTS_START + i] += statistics[i] * deals;
    for (unsigned k = 0; k < sizeof others / sizeof *others; k++)
        row[PRODUCTS_START + others[k]] += statistics[others[k]] * (statistics[denominators[others[k]]] - deals);
    memset(statistics, 0, N_STATISTICS * sizeof *statistics);
}

static void write_rules(Rules *rules)
{
    *rules = (Rules){.take_discard = 1, .knock_limit = 10, .stock_reserve = 2, .max_turns = 500, .gin_bonus = 25, .undercut_bonus = 25, .by_planes = 1};
    for (int rank = 0; rank < 13; rank++) {
        rules->value[rank] = rank < 9 ? rank + 1 : 10;
        rules->peers[rank] = rank < 9 ? 1 << rank : 0x1E00;
        for (int bit = 0; bit < 4; bit++)
            rules->planes[bit] |= rules->value[rank] >> bit & 1 ? ACES << rank : 0;
    }
}

/* Play units of one deal, and add 1000 units to each row. Return -1 if memory runs out. */
int play(u64 seed, i64 first_unit, i64 n_units, i64 *rows)
{
    static Policy volatile simple[3] = {take_for_any_meld, discard_without_repetition, knock_with_limit}; /* not known to the compiler */
    Policy policies[2][3];
    double knock_params[1] = {10};
    State *state = calloc(1, sizeof *state);
    View *views = calloc(3, sizeof *views); /* The views are not adjacent. */
    Rules *rules = calloc(1, sizeof *rules);
    int result = state && views && rules ? 0 : -1;
    if (!result) {
        i64 statistics[N_STATISTICS] = {0};
        write_rules(rules);
        state->seed = seed;
        state->stake = 1;
        state->owner = -1;
        for (int i = 0; i < 2; i++) {
            for (int slot = 0; slot < 3; slot++)
                policies[i][slot] = simple[slot];
            state->random_slots[i] = 1 << DISCARD;
            state->discards_first[i] = 1;
            state->vectors[i][KNOCK] = knock_params;
            state->lengths[i][KNOCK] = 1;
        }
        for (i64 i = 0; i < n_units; i++) {
            i64 *row = rows + i / 1000 * N_COLUMNS;
            state->unit = first_unit + i;
            play_deal(state, rules, views, views + 2, policies);
            add_deal_statistics(state, statistics, row);
            add_unit_to_batch_row(statistics, row);
        }
    }
    free(state);
    free(views);
    free(rules);
    return result;
}
