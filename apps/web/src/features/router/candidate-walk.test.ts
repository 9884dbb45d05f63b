import { describe, expect, it } from 'vitest'
import { walkCandidates } from './candidate-walk.ts'

const CANDIDATES = [
  { model: 'small', labels: ['talk'] },
  { model: 'middle', labels: ['talk', 'code'] },
  { model: 'large', labels: ['talk', 'code', 'maths'] },
]
const outcomes = (active: string[]) => walkCandidates(CANDIDATES, active).map(({ outcome }) => outcome)

describe('the walk over candidates', () => {
  it('picks the first that serves all active labels', () => {
    expect(outcomes(['talk'])).toEqual(['picked', 'unreached', 'unreached'])
    expect(outcomes(['talk', 'code'])).toEqual(['passed', 'picked', 'unreached'])
  })

  it('names what a candidate lacks', () => {
    expect(walkCandidates(CANDIDATES, ['maths', 'talk'])[1]?.missing).toEqual(['maths'])
  })

  it('picks none without an active label, or with one that nobody serves', () => {
    expect(outcomes([])).toEqual(['passed', 'passed', 'passed'])
    expect(outcomes(['law'])).toEqual(['passed', 'passed', 'passed'])
  })
})
