/** Candidates for the next token, best first, with their scores. */
export interface Candidates {
  readonly tokens: readonly number[]
  readonly logits: readonly number[]
}

/** The cuts of the chain, in the order in which they are applied. */
export interface ChainCuts {
  readonly typicalP: number
  readonly tailFreeZ: number
  readonly topP: number
  readonly minP: number
  readonly temperature: number
}

/** Settings of mirostat and its current limit of surprise. */
export interface Mirostat {
  readonly version: 1 | 2
  readonly tau: number
  readonly eta: number
  readonly temperature: number
  /** In bits; begins at twice `tau` and follows the text. */
  mu: number
}

/** Tokens from which version 1 estimates the steepness of the distribution. */
const MIROSTAT_SAMPLES = 100

/** Returns a number from 0 to below 1, the next of a sequence that its seed determines. */
export type Chance = () => number

/** Creates a sequence of chances. Equal seeds give equal sequences. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0
  return () => {
    // Mulberry32: a counter whose bits are mixed.
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Chooses one candidate by all cuts, including cuts that the engine lacks, and returns its index. */
export function chooseByCuts(candidates: Candidates, cuts: ChainCuts, chance: Chance): number {
  let kept = candidates.logits.map((_, index) => index)
  if (cuts.tailFreeZ < 1) kept = cutTail(kept, candidates.logits, cuts.tailFreeZ)
  if (cuts.typicalP < 1) kept = cutAtypical(kept, candidates.logits, cuts.typicalP)
  if (cuts.topP < 1) kept = cutShare(kept, candidates.logits, cuts.topP)
  if (cuts.minP > 0) kept = cutUnlikely(kept, candidates.logits, cuts.minP)
  return draw(kept, toProbabilities(kept, candidates.logits, cuts.temperature), chance)
}

/** Chooses one candidate so that the surprise of the text stays near the target, and returns its index. */
export function chooseByMirostat(candidates: Candidates, mirostat: Mirostat, chance: Chance): number {
  const all = candidates.logits.map((_, index) => index)
  const probabilities = toProbabilities(all, candidates.logits, mirostat.temperature)
  const count =
    mirostat.version === 1 ? countBySteepness(probabilities, mirostat) : countBySurprise(probabilities, mirostat.mu)
  const kept = all.slice(0, Math.max(1, count))
  const chosen = draw(kept, renormalise(probabilities.slice(0, kept.length)), chance)
  const total = probabilities.slice(0, kept.length).reduce((sum, value) => sum + value, 0)
  const surprise = -Math.log2((probabilities[chosen] ?? 0) / total)
  mirostat.mu -= mirostat.eta * (surprise - mirostat.tau)
  return chosen
}

/** Probabilities of the kept candidates, normalised. */
function toProbabilities(kept: readonly number[], logits: readonly number[], temperature = 1): number[] {
  const top = kept.reduce((most, index) => Math.max(most, logits[index] ?? 0), Number.NEGATIVE_INFINITY)
  return renormalise(kept.map((index) => Math.exp(((logits[index] ?? 0) - top) / temperature)))
}

function renormalise(weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map((weight) => weight / total)
}

/** The tail begins where the second difference of the sorted probabilities reaches the share `z` of its sum. */
function cutTail(kept: readonly number[], logits: readonly number[], z: number): number[] {
  if (kept.length <= 2) return [...kept]
  const probabilities = toProbabilities(kept, logits)
  const slopes = differences(probabilities)
  const bends = renormalise(differences(slopes).map(Math.abs))
  let sum = 0
  const last = bends.findIndex((bend) => {
    sum += bend
    return sum > z
  })
  return last < 0 ? [...kept] : kept.slice(0, Math.max(1, last))
}

function differences(values: readonly number[]): number[] {
  return values.slice(1).map((value, index) => (values[index] ?? 0) - value)
}

/**
 * Keeps the candidates whose surprise is nearest to the entropy, until their share is reached, in their previous order.
 */
function cutAtypical(kept: readonly number[], logits: readonly number[], share: number): number[] {
  const probabilities = toProbabilities(kept, logits)
  const entropy = probabilities.reduce((sum, p) => sum - (p > 0 ? p * Math.log(p) : 0), 0)
  const order = kept
    .map((candidate, index) => ({ candidate, p: probabilities[index] ?? 0 }))
    .map((entry) => ({ ...entry, distance: Math.abs(-Math.log(entry.p) - entropy) }))
    .sort((a, b) => a.distance - b.distance)
  let sum = 0
  const chosen = new Set<number>()
  for (const { candidate, p } of order) {
    chosen.add(candidate)
    sum += p
    if (sum > share) break
  }
  return kept.filter((candidate) => chosen.has(candidate))
}

function cutShare(kept: readonly number[], logits: readonly number[], share: number): number[] {
  let sum = 0
  const last = toProbabilities(kept, logits).findIndex((p) => {
    sum += p
    return sum >= share
  })
  return last < 0 ? [...kept] : kept.slice(0, last + 1)
}

function cutUnlikely(kept: readonly number[], logits: readonly number[], share: number): number[] {
  const [first] = kept
  const least = (first === undefined ? 0 : (logits[first] ?? 0)) + Math.log(share)
  return kept.filter((candidate, index) => index === 0 || (logits[candidate] ?? 0) >= least)
}

/** Version 1: the number that a distribution of the estimated steepness needs for the allowed surprise. */
function countBySteepness(probabilities: readonly number[], { mu }: Mirostat): number {
  let both = 0
  let squares = 0
  for (let i = 0; i < Math.min(MIROSTAT_SAMPLES, probabilities.length) - 1; i++) {
    const t = Math.log((i + 2) / (i + 1))
    both += t * Math.log((probabilities[i] ?? 0) / (probabilities[i + 1] ?? 1))
    squares += t * t
  }
  if (squares === 0) return 1
  const steepness = both / squares
  const epsilon = steepness - 1
  const count = ((epsilon * 2 ** mu) / (1 - probabilities.length ** -epsilon)) ** (1 / steepness)
  return Number.isFinite(count) ? Math.min(probabilities.length, Math.trunc(count)) : probabilities.length
}

/** Version 2: counts the candidates within the allowed surprise. */
function countBySurprise(probabilities: readonly number[], mu: number): number {
  const first = probabilities.findIndex((p) => -Math.log2(p) > mu)
  return first < 0 ? probabilities.length : first
}

function draw(kept: readonly number[], probabilities: readonly number[], chance: Chance): number {
  let left = chance()
  for (const [index, candidate] of kept.entries()) {
    left -= probabilities[index] ?? 0
    if (left < 0) return candidate
  }
  return kept.at(-1) ?? 0
}
