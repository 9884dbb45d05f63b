import { describe, expect, it } from 'vitest'
import { parseModelText } from './model-text.ts'
import { checkRules } from './rules.ts'

const known = {
  uses: new Map([
    ['people', ['token_classify']],
    ['secrets', []],
    ['small', ['chat']],
    ['auto', ['chat', 'router']],
  ]),
  backends: new Map([['secrets', 'pattern']]),
}
const check = (text: string) =>
  checkRules(parseModelText(text), known).map(({ code, path, line }) => [code, path, line])

describe('rules over several keys', () => {
  it('want detectors that exist and detect', () => {
    expect(check('pii:\n  detectors: [people, secrets]\n')).toEqual([])
    expect(check('pii:\n  detectors:\n    - people\n    - gone\n    - small\n')).toEqual([
      ['noDetector', 'pii.detectors.1', 4],
      ['notDetector', 'pii.detectors.2', 5],
    ])
  })

  it('want patterns of the grammar, each with a name', () => {
    const text = 'pii_detection:\n  patterns:\n    - { name: A, match: "tick-[0-9]+" }\n    - { match: "a.c" }\n'
    expect(check(text)).toEqual([
      ['patternName', 'pii_detection.patterns.1', 4],
      ['pattern.anyCharacter', 'pii_detection.patterns.1.match', 4],
    ])
  })

  it('want labels of candidates among the policies, and no router among the candidates', () => {
    const text = `name: route
router:
  policies: [{ label: code, description: Code }]
  candidates:
    - { model: small, labels: [code] }
    - { model: auto, labels: [cod] }
    - { model: route, labels: [code] }
    - { model: gone, labels: [code] }
`
    expect(check(text)).toEqual([
      ['label', 'router.candidates.1.labels.0', 6],
      ['candidateRouter', 'router.candidates.1.model', 6],
      ['candidateRouter', 'router.candidates.2.model', 7],
      ['noCandidate', 'router.candidates.3.model', 8],
    ])
  })

  it('warn of a cache that knn ignores', () => {
    const [problem] = checkRules(
      parseModelText('router:\n  classifier: knn\n  embedding_cache: { embedding_model: e }\n'),
      known,
    )
    expect(problem).toMatchObject({ code: 'cacheIgnored', severity: 'warning', line: 3 })
  })

  it('take one source of the key of an upstream', () => {
    expect(check('proxy:\n  api_key_env: A\n')).toEqual([])
    expect(check('proxy:\n  api_key_env: A\n  api_key_file: /b\n')).toEqual([['twoKeys', 'proxy.api_key_file', 3]])
  })

  it('judge no other model while those are not known', () => {
    expect(checkRules(parseModelText('pii:\n  detectors: [gone]\n'), undefined)).toEqual([])
  })
})
