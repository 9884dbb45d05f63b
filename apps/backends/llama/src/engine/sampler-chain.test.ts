import { describe, expect, it } from 'vitest'
import { type Candidates, type ChainCuts, chooseByCuts, chooseByMirostat, createChance } from './sampler-chain.ts'

const OFF: ChainCuts = { typicalP: 1, tailFreeZ: 1, topP: 1, minP: 0, temperature: 1 }

/** Candidates with these probabilities. */
function withShares(...shares: number[]): Candidates {
  return { tokens: shares.map((_, index) => index), logits: shares.map((share) => Math.log(share)) }
}

/** Indexes that come up in many draws. */
function reachable(candidates: Candidates, cuts: Partial<ChainCuts>): number[] {
  const chance = createChance(1)
  const places = new Set(Array.from({ length: 500 }, () => chooseByCuts(candidates, { ...OFF, ...cuts }, chance)))
  return [...places].sort((a, b) => a - b)
}

describe('chance', () => {
  it('is the same for the same seed and fills 0 to 1', () => {
    const draws = Array.from({ length: 1000 }, createChance(7))
    expect(Array.from({ length: 1000 }, createChance(7))).toEqual(draws)
    expect(draws).not.toEqual(Array.from({ length: 1000 }, createChance(8)))
    expect(Math.min(...draws)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...draws)).toBeLessThan(1)
    expect(draws.reduce((sum, draw) => sum + draw, 0) / draws.length).toBeCloseTo(0.5, 1)
  })
})

describe('the cuts', () => {
  const candidates = withShares(0.4, 0.3, 0.15, 0.1, 0.05)

  it('leave all candidates, as often as they are likely', () => {
    expect(reachable(candidates, {})).toEqual([0, 1, 2, 3, 4])
    const chance = createChance(3)
    const draws = Array.from({ length: 4000 }, () => chooseByCuts(candidates, OFF, chance))
    expect(draws.filter((place) => place === 0).length / draws.length).toBeCloseTo(0.4, 1)
  })

  it('keep a share of the probability, or those nearly as likely as the first', () => {
    expect(reachable(candidates, { topP: 0.6 })).toEqual([0, 1])
    expect(reachable(candidates, { topP: 0 })).toEqual([0])
    expect(reachable(candidates, { minP: 0.3 })).toEqual([0, 1, 2])
    expect(reachable(candidates, { minP: 1 })).toEqual([0])
  })

  it('keep the tokens of typical surprise, not the likeliest', () => {
    // The entropy is 1.75 nats: nearer to the 2.3 of the many than to the 0.9 of the first.
    const flat = withShares(0.4, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1)
    expect(reachable(flat, { typicalP: 0.25 })).not.toContain(0)
    expect(reachable(flat, { typicalP: 0.95 })).toContain(0)
  })

  it('drop a flat tail', () => {
    const tailed = withShares(0.5, 0.3, 0.05, 0.05, 0.05, 0.05)
    expect(reachable(tailed, { tailFreeZ: 0.5 })).toEqual([0])
    expect(reachable(tailed, { tailFreeZ: 0.95 }).length).toBeLessThan(6)
  })

  it('always leave a candidate, for any values', () => {
    const chance = createChance(11)
    for (let round = 0; round < 500; round++) {
      const list = Array.from({ length: 1 + Math.floor(chance() * 30) }, () => 0.001 + chance())
      const cuts = { typicalP: chance(), tailFreeZ: chance(), topP: chance(), minP: chance(), temperature: 0.7 }
      const place = chooseByCuts(withShares(...list.sort((x, y) => y - x)), cuts, chance)
      expect(place).toBeGreaterThanOrEqual(0)
      expect(place).toBeLessThan(list.length)
    }
  })
})

describe('mirostat', () => {
  const candidates = withShares(...Array.from({ length: 200 }, (_, index) => 1 / (index + 1)))

  it.each([1, 2] as const)('version %i brings the surprise of a text near the one aimed at', (version) => {
    const total = candidates.logits.reduce((sum, logit) => sum + Math.exp(logit), 0)
    const surpriseAt = (tau: number): number => {
      const mirostat = { version, tau, eta: 0.1, temperature: 1, mu: 2 * tau }
      const chance = createChance(5)
      const places = Array.from({ length: 1500 }, () => chooseByMirostat(candidates, mirostat, chance))
      const surprises = places.map((place) => -Math.log2(Math.exp(candidates.logits[place] ?? 0) / total))
      return surprises.reduce((sum, surprise) => sum + surprise, 0) / surprises.length
    }
    const [low, high] = [surpriseAt(2.5), surpriseAt(4)]
    expect(high).toBeGreaterThan(low + 0.5)
  })

  it('takes the only candidate there is', () => {
    for (const version of [1, 2] as const) {
      const mirostat = { version, tau: 5, eta: 0.1, temperature: 1, mu: 10 }
      expect(chooseByMirostat(withShares(1), mirostat, createChance(1))).toBe(0)
    }
  })
})
