/* Speed reference: the strategy `simple` against itself in the variant `eaai`, in plain C.
 *
 * The author wrote this program from the rules and had not seen the engine. The program has no views
 * and no keyed random numbers, and it sums only wins and points. `python benchmarks/plain.py`
 * compiles it twice. A discard tries all eleven cards or, with -DSMART, only cards that can be best.
 *
 *   ./gin DEALS SEED
 *
 * A hand is a mask of 52 bits, card = 13 * suit + rank; suits S H D C, ranks A..K.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef uint64_t u64;
#define M13 8191u
#define BIT(c) ((u64)1 << (c))
#define RANK(r) ((u64)0x8004002001 << (r)) /* the four cards of a rank */

/* ---- tables ---- */

typedef struct {
    uint16_t run;  /* ranks of the cards in runs */
    uint8_t all;   /* points of all cards */
    uint8_t loose; /* points of the cards outside runs */
} Suit;
static Suit T[8192];
static uint8_t RANK_OF[52], VALUE[52];

static void init_tables(void)
{
    for (int c = 0; c < 52; c++) {
        RANK_OF[c] = c % 13;
        VALUE[c] = c % 13 < 9 ? c % 13 + 1 : 10;
    }
    for (unsigned m = 0; m < 8192; m++) {
        unsigned mid = m & m << 1 & m >> 1, run = (mid | mid << 1 | mid >> 1) & M13;
        int all = 0, loose = 0;
        for (int r = 0; r < 13; r++)
            if (m >> r & 1) {
                all += VALUE[r];
                loose += run >> r & 1 ? 0 : VALUE[r];
            }
        T[m] = (Suit){run, all, loose};
    }
}

/* ---- random numbers: xoshiro256++ ---- */

static u64 S[4];
static inline u64 rotl(u64 x, int k) { return x << k | x >> (64 - k); }
static inline u64 next(void)
{
    u64 r = rotl(S[0] + S[3], 23) + S[0], t = S[1] << 17;
    S[2] ^= S[0]; S[3] ^= S[1]; S[1] ^= S[2]; S[0] ^= S[3];
    S[2] ^= t;
    S[3] = rotl(S[3], 45);
    return r;
}
static void seed_random(u64 x)
{
    for (int i = 0; i < 4; i++) { /* splitmix64 */
        u64 z = x += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        S[i] = z ^ z >> 31;
    }
}
static inline unsigned below(unsigned n) { return (next() >> 32) * n >> 32; }

/* ---- deadwood ---- */

/* Ranks held three or four times. */
static inline unsigned set_ranks(u64 h)
{
    unsigned a = h & M13, b = h >> 13 & M13, c = h >> 26 & M13, d = h >> 39;
    return (a & b & (c | d)) | (c & d & (a | b));
}
/* Ranks of the cards in runs. */
static inline unsigned run_ranks(u64 h)
{
    return T[h & M13].run | T[h >> 13 & M13].run | T[h >> 26 & M13].run | T[h >> 39].run;
}
static inline int loose_points(u64 h)
{
    return T[h & M13].loose + T[h >> 13 & M13].loose + T[h >> 26 & M13].loose + T[h >> 39].loose;
}
/* Minimum deadwood over the choices of sets in the ranks `conf`; other sets have already been removed. */
static __attribute__((noinline)) int search(u64 h, unsigned conf)
{
    if (!conf) return loose_points(h);
    u64 set = h & RANK(__builtin_ctz(conf));
    conf &= conf - 1;
    int best = search(h, conf), d = search(h & ~set, conf);
    if (d < best) best = d;
    if (__builtin_popcountll(set) == 4)
        for (u64 m = set; m; m &= m - 1) {
            d = search(h & ~set | (m & -m), conf);
            if (d < best) best = d;
        }
    return best;
}
/* This function is not inlined because best_discards is then 20 % faster (gcc 12). */
static __attribute__((noinline)) int deadwood(u64 h)
{
    unsigned a = h & M13, b = h >> 13 & M13, c = h >> 26 & M13, d = h >> 39;
    Suit A = T[a], B = T[b], C = T[c], D = T[d];
    unsigned ab = a & b, cd = c & d;
    unsigned sets = (ab & (c | d)) | (cd & (a | b));
    int loose = A.loose + B.loose + C.loose + D.loose;
    if (!sets) return loose;
    unsigned conf = sets & (A.run | B.run | C.run | D.run);
    if (!conf) return loose - 3 * T[sets].all - T[ab & cd].all;
    u64 gone = sets & ~conf;
    return search(h & ~(gone | gone << 13 | gone << 26 | gone << 39), conf);
}

/* ---- strategy ---- */

/* Return 1 if card c makes a meld with the hand. */
static inline int makes_meld(u64 h, int c)
{
    int r = RANK_OF[c], shift = c - r;
    return __builtin_popcountll(h & RANK(r)) >= 2 || T[(h | BIT(c)) >> shift & M13].run >> r & 1;
}
static inline int pick(u64 m)
{
    int n = __builtin_popcountll(m);
    if (n > 1)
        for (n = below(n); n; n--) m &= m - 1;
    return __builtin_ctzll(m);
}
/* Legal cards whose discard leaves the minimum deadwood. */
static inline u64 best_discards(u64 h, u64 legal, int *least)
{
    int best = 1000;
    u64 ties = 0;
#ifdef SMART
    /* A card without a possible meld leaves deadwood(h) minus its points; other cards leave at least as much. */
    u64 runs = T[h & M13].run | (u64)T[h >> 13 & M13].run << 13 | (u64)T[h >> 26 & M13].run << 26 |
               (u64)T[h >> 39].run << 39;
    u64 sets = set_ranks(h);
    u64 meldable = runs | sets | sets << 13 | sets << 26 | sets << 39;
    int all = deadwood(h), most = 0;
    for (u64 m = legal & ~meldable; m; m &= m - 1) {
        int v = VALUE[__builtin_ctzll(m)];
        if (v >= most) {
            ties = (v == most ? ties : 0) | (m & -m);
            most = v;
        }
    }
    if (ties) best = all - most;
    for (u64 m = legal & h & meldable; m; m &= m - 1) {
        if (VALUE[__builtin_ctzll(m)] < most) continue;
#else
    for (u64 m = legal; m; m &= m - 1) {
#endif
        int d = deadwood(h & ~(m & -m));
        if (d <= best) {
            ties = (d == best ? ties : 0) | (m & -m);
            best = d;
        }
    }
    *least = best;
    return ties;
}

/* ---- showdown ---- */

typedef struct {
    int n;
    u64 meld[4];
    int dead, ext;
} Melding;

static inline int is_set(u64 meld) { return (meld & (meld - 1) & RANK(RANK_OF[__builtin_ctzll(meld)])) != 0; }

/* The cards next to a meld: the fourth of a set, or those at the ends of a run. */
static inline u64 neighbours(u64 meld)
{
    int lo = __builtin_ctzll(meld), hi = 63 - __builtin_clzll(meld);
    if (is_set(meld)) return RANK(RANK_OF[lo]) & ~meld;
    return (RANK_OF[lo] > 0 ? BIT(lo - 1) : 0) | (RANK_OF[hi] < 12 ? BIT(hi + 1) : 0);
}
static int by_text(const void *a, const void *b) { return strcmp(a, b); }
static void texts(const Melding *m, char t[4][48])
{
    for (int i = 0; i < m->n; i++) {
        char *p = t[i];
        for (u64 c = m->meld[i]; c; c &= c - 1) {
            int k = __builtin_ctzll(c);
            *p++ = "A23456789TJQK"[k % 13];
            *p++ = "SHDC"[k / 13];
            *p++ = ' ';
        }
        p[-1] = 0;
    }
    qsort(t, m->n, 48, by_text);
}
/* Return 1 if a is preferred to b: by deadwood, extension cards, number of melds, and names. */
static int better(const Melding *a, const Melding *b)
{
    if (a->dead != b->dead) return a->dead < b->dead;
    if (a->ext != b->ext) return a->ext < b->ext;
    if (a->n != b->n) return a->n < b->n;
    char s[4][48], t[4][48];
    texts(a, s);
    texts(b, t);
    for (int i = 0; i < a->n; i++) {
        int d = strcmp(s[i], t[i]);
        if (d) return d < 0;
    }
    return 0;
}
/* Try all choices of sets in the ranks `conf`; the runs are then determined. */
static __attribute__((noinline)) void meldings(u64 left, unsigned conf, Melding m, u64 seen, Melding *best)
{
    if (conf) {
        u64 set = left & RANK(__builtin_ctz(conf));
        conf &= conf - 1;
        meldings(left, conf, m, seen, best);
        m.meld[m.n++] = set;
        meldings(left & ~set, conf, m, seen, best);
        if (__builtin_popcountll(set) == 4)
            for (u64 c = set; c; c &= c - 1) {
                m.meld[m.n - 1] = set & ~(c & -c);
                meldings(left & ~set | (c & -c), conf, m, seen, best);
            }
        return;
    }
    m.dead = loose_points(left);
    if (m.dead > best->dead) return;
    for (int s = 0; s < 52; s += 13)
        for (unsigned run = T[left >> s & M13].run; run;) {
            unsigned low = run & -run, part = run & ~(run + low); /* the lowest row of ones */
            m.meld[m.n++] = (u64)part << s;
            run &= ~part;
        }
    u64 ext = 0;
    for (int i = 0; i < m.n; i++) ext |= neighbours(m.meld[i]);
    m.ext = __builtin_popcountll(ext & ~seen);
    if (better(&m, best)) *best = m;
}
/* The melds that the knocker shows of ten cards after discarding x. */
static __attribute__((noinline)) Melding show(u64 ten, int x)
{
    Melding best = {.dead = 1000}, m = {0};
    unsigned sets = set_ranks(ten), conf = sets & run_ranks(ten);
    u64 left = ten;
    for (unsigned s = sets & ~conf; s; s &= s - 1) {
        m.meld[m.n] = left & RANK(__builtin_ctz(s));
        left &= ~m.meld[m.n++];
    }
    meldings(left, conf, m, ten | BIT(x), &best);
    return best;
}
/* Minimum deadwood of the defender over all melds and all lay-offs on the melds from i on.
 * A card between two melds can be laid off on either, with the same result. */
static __attribute__((noinline)) int count(u64 h, u64 hand, const Melding *m, int i)
{
    for (; i < m->n && !(neighbours(m->meld[i]) & hand); i++)
        ;
    if (i == m->n) return deadwood(h);
    u64 meld = m->meld[i];
    if (is_set(meld)) {
        u64 c = neighbours(meld) & hand;
        int d = count(h, hand, m, i + 1), e = count(h & ~c, hand, m, i + 1);
        return d < e ? d : e;
    }
    int best = 1000, lo = __builtin_ctzll(meld), hi = 63 - __builtin_clzll(meld);
    u64 low = 0;
    for (int a = lo;;) {
        u64 both = low;
        for (int b = hi;;) {
            int d = count(h & ~both, hand, m, i + 1);
            if (d < best) best = d;
            if (RANK_OF[b] == 12 || !(hand >> ++b & 1)) break;
            both |= BIT(b);
        }
        if (RANK_OF[a] == 0 || !(hand >> --a & 1)) break;
        low |= BIT(a);
    }
    return best;
}

/* ---- the game ---- */

enum { MAX_TURNS = 500, KNOCK = 10, BONUS = 25 };

static struct {
    long wins[2], points[2], points2[2], first, gins, undercuts, voids, stalled, turns, turns2;
} R;

/* Play a deal; `first` (0 or 1) is the player who starts. */
static void deal(int first)
{
    static uint8_t deck[52];
    static uint8_t drawn[2][MAX_TURNS], thrown[2][MAX_TURNS];
    int own[2] = {0, 0};
    if (!deck[0] && !deck[1])
        for (int i = 0; i < 52; i++) deck[i] = i;

#define DRAW(i)                                 \
    do {                                        \
        int j = (i) + below(52 - (i)), c = deck[j]; \
        deck[j] = deck[i];                      \
        deck[i] = c;                            \
    } while (0)

    u64 hand[2] = {0, 0};
    int used = 0;
    for (; used < 20; used++) {
        DRAW(used);
        hand[used >= 10] |= BIT(deck[used]);
    }
    DRAW(used);
    int top = deck[used++];

    int p = 0, take = makes_meld(hand[0], top);
    if (!take && makes_meld(hand[1], top)) p = take = 1;
    for (int turns = 1;; turns++) {
        int card = top;
        if (!take) {
            DRAW(used);
            card = deck[used++];
        }
        u64 h = hand[p] | BIT(card), legal = h;
        if (take) {
            legal = hand[p];
            for (int i = 0; i < own[p]; i++) { /* never repeat a pair of drawn and discarded card */
                if (drawn[p][i] == card) legal &= ~BIT(thrown[p][i]);
                if (thrown[p][i] == card) legal &= ~BIT(drawn[p][i]);
            }
            if (!legal) legal = hand[p];
        }
        int dead, x = pick(best_discards(h, legal, &dead));
        hand[p] = h & ~BIT(x);
        drawn[p][own[p]] = card;
        thrown[p][own[p]++] = x;

        if (dead <= KNOCK) {
            int winner = p, points;
            if (!dead) {
                points = BONUS + deadwood(hand[!p]);
                R.gins++;
            } else {
                Melding m = show(hand[p], x);
                int q = count(hand[!p], hand[!p], &m, 0);
                points = q - dead;
                if (q <= dead) {
                    winner = !p;
                    points = dead - q + BONUS;
                    R.undercuts++;
                }
            }
            R.first += winner == 0;
            winner ^= first;
            R.wins[winner]++;
            R.points[winner] += points;
            R.points2[winner] += (long)points * points;
        } else if (used >= 50)
            R.voids++;
        else if (turns == MAX_TURNS)
            R.stalled++;
        else {
            top = x;
            p = !p;
            take = makes_meld(hand[p], top);
            continue;
        }
        R.turns += turns;
        R.turns2 += (long)turns * turns;
        return;
    }
}

#ifndef NO_MAIN
int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s DEALS SEED\n", argv[0]);
        return 2;
    }
    long n = atol(argv[1]);
    struct timespec t0, t1;
    init_tables();
    seed_random(strtoull(argv[2], 0, 0));
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t0);
    for (long i = 0; i < n; i++) deal(i & 1);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t1);
    double s = t1.tv_sec - t0.tv_sec + 1e-9 * (t1.tv_nsec - t0.tv_nsec);
    printf("deals %ld wins %ld %ld points %ld %ld squares %ld %ld first %ld gins %ld undercuts %ld "
           "voids %ld stalled %ld turns %ld squares %ld\n",
           n, R.wins[0], R.wins[1], R.points[0], R.points[1], R.points2[0], R.points2[1], R.first, R.gins,
           R.undercuts, R.voids, R.stalled, R.turns, R.turns2);
    printf("%.0f deals per second of processor time (%.3f s)\n", n / s, s);
    return 0;
}
#endif
