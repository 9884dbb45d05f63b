import { describe, expect, it } from 'vitest'
import { SETTINGS } from './__fixtures__/models.ts'
import { routerBlock } from './config.ts'
import {
  type ResolvedRouterSettings,
  type RouterSettings,
  resolveActivationThreshold,
  resolveCorpusName,
  resolveEmbeddingCache,
  resolveKnn,
  resolveRouterSettings,
} from './settings.ts'
import { validateSignals } from './signals/read-settings.ts'
import { validateRouterSettings } from './validate-settings.ts'

const problems = (settings: Partial<RouterSettings>) =>
  validateRouterSettings({ ...SETTINGS, ...settings }).map(({ path, message, stopsClassifier }) => {
    return `${path.join('.')} ${message}${stopsClassifier ? ' (stops)' : ''}`
  })

describe('the block', () => {
  it('has rules in our own words; the names of tags stay', () => {
    const rules = [
      {
        name: 'a',
        when: { has_images: true, tag: { cost_center: 'x' }, any: [{ prompt_length: { min: 5 } }] },
        skip_classifier: true,
      },
      { at: 'after', when: { not: { remaining_budget: { max: 0.5 } } }, use: 'm', overrides_sticky: true },
    ]
    const block = { rules, sticky: { ttl_seconds: 60 }, select: { by: 'fastest', stale_seconds: 9 } }
    expect(routerBlock.parse(block)).toMatchObject({
      rules: [
        {
          name: 'a',
          when: { hasImages: true, tag: { cost_center: 'x' }, any: [{ promptLength: { min: 5 } }] },
          skipClassifier: true,
        },
        { at: 'after', when: { not: { remainingBudget: { max: 0.5 } } }, use: 'm', overridesSticky: true },
      ],
      sticky: { ttlSeconds: 60 },
      select: { by: 'fastest', staleSeconds: 9 },
    })
    const wrong = { ...SETTINGS, rules: routerBlock.parse({ rules: { a: 1 } }).rules }
    expect(validateSignals(wrong).map(({ path }) => path)).toEqual([['rules']])
  })

  it('becomes settings, with null for what is not said', () => {
    const block = {
      classifier: 'knn',
      classifier_cache_size: 7,
      activation_threshold: null,
      policies: [{ label: 'a', description: 'A', colour: 'red' }, { label: null }],
      candidates: [
        { model: 'm', labels: ['a'] },
        { model: 'n', labels: null },
      ],
      fallback: 'f',
      embedding_cache: { embedding_model: 'e', similarity_threshold: 0.9, confidence_threshold: 0.7, store_name: 's' },
      knn: {
        embedding_model: 'e',
        embedding_revision: '2',
        k: 5,
        similarity_threshold: 0.1,
        vote_threshold: 0.2,
        store_name: 't',
      },
      unknown: true,
    }
    const settings = routerBlock.parse(block)
    expect(settings).toEqual({
      classifier: 'knn',
      classifierCacheSize: 7,
      policies: [
        { label: 'a', description: 'A' },
        { label: '', description: '' },
      ],
      candidates: [
        { model: 'm', labels: ['a'] },
        { model: 'n', labels: [] },
      ],
      fallback: 'f',
      embeddingCache: { embeddingModel: 'e', similarityThreshold: 0.9, confidenceThreshold: 0.7, storeName: 's' },
      knn: {
        embeddingModel: 'e',
        embeddingRevision: '2',
        k: 5,
        similarityThreshold: 0.1,
        voteThreshold: 0.2,
        storeName: 't',
      },
    })
    expect(resolveCorpusName('auto', settings)).toBe('t')
    expect(routerBlock.parse({})).toEqual({ policies: [], candidates: [] })
    expect(() => routerBlock.parse({ policies: 'a' })).toThrow('policies')
    expect(() => routerBlock.parse({ score_normalization: 'median' })).toThrow('score_normalization')
  })

  it('has the defaults of the specification', () => {
    const threshold = (classifier: string) =>
      resolveActivationThreshold({ ...SETTINGS, classifier, activationThreshold: 0 })
    expect(['score', 'colbert', 'decisions', 'knn', ''].map(threshold)).toEqual([0.15, 0.5, 0.5, 0.5, 0.15])
    expect(resolveEmbeddingCache({ embeddingModel: 'e' })).toEqual({
      similarityThreshold: 0.8,
      confidenceThreshold: 0.6,
    })
    expect(resolveKnn({ k: 0 })).toEqual({ k: 3, similarityThreshold: 0.8, voteThreshold: 0.5 })
    expect(resolveCorpusName('auto', SETTINGS)).toBe('router-corpus-auto')
  })

  it.each<[Partial<RouterSettings>, Partial<ResolvedRouterSettings>]>([
    [{ activationThreshold: 0 }, { classifier: 'score', activationThreshold: 0.15 }],
    [
      { classifier: 'colbert', activationThreshold: 0.7 },
      { classifier: 'colbert', activationThreshold: 0.7 },
    ],
    [
      { classifier: 'knn', knn: { embeddingModel: 'e', k: 5, storeName: 't' } },
      {
        classifier: 'knn',
        activationThreshold: undefined,
        knn: { embeddingModel: 'e', k: 5, similarityThreshold: 0.8, voteThreshold: 0.5, storeName: 't' },
      },
    ],
    [
      { activationThreshold: 0, embeddingCache: { embeddingModel: 'e', similarityThreshold: 0.9 } },
      {
        classifier: 'score',
        activationThreshold: 0.15,
        embeddingCache: {
          embeddingModel: 'e',
          similarityThreshold: 0.9,
          confidenceThreshold: 0.6,
          storeName: 'router-cache-auto',
        },
      },
    ],
    [
      { knn: { embeddingModel: 'e' }, embeddingCache: { embeddingModel: 'e', storeName: 's' } },
      {
        knn: {
          embeddingModel: 'e',
          k: 3,
          similarityThreshold: 0.8,
          voteThreshold: 0.5,
          storeName: 'router-corpus-auto',
        },
        embeddingCache: { embeddingModel: 'e', similarityThreshold: 0.8, confidenceThreshold: 0.6, storeName: 's' },
      },
    ],
  ])('fills in the defaults of %j', (settings, expected) => {
    const { activationThreshold } = SETTINGS
    const resolved = resolveRouterSettings('auto', { ...SETTINGS, ...settings })
    expect(resolved).toEqual({ classifier: 'score', activationThreshold, ...expected })
  })
})

describe('settings', () => {
  it('without mistakes have none', () => {
    expect(problems({})).toEqual([])
    expect(
      problems({ classifier: 'knn', classifierModel: '', activationThreshold: 0, knn: { embeddingModel: 'e' } }),
    ).toEqual([])
    const policies = SETTINGS.policies.map(({ label }) => ({ label, description: '' }))
    expect(
      problems({ classifier: 'knn', activationThreshold: 0, knn: { embeddingModel: 'e', k: 1024 }, policies }),
    ).toEqual([])
  })

  it.each<[Partial<RouterSettings>, string[]]>([
    [{ classifier: 'magic' }, ['classifier must be one of score, colbert, knn, decisions (stops)']],
    [{ classifierModel: ' ' }, ['classifier_model is missing (stops)']],
    [{ fallback: '' }, ['fallback is missing: requests that no candidate covers fail']],
    [{ activationThreshold: 1.5 }, ['activation_threshold must be a number from 0 to 1 (stops)']],
    [{ activationThreshold: Number.NaN }, ['activation_threshold must be a number from 0 to 1 (stops)']],
    [{ classifier: 'colbert', activationThreshold: 1.5 }, []],
    [{ classifier: 'colbert', activationThreshold: 0 }, []],
    [
      { classifier: 'colbert', activationThreshold: Number.POSITIVE_INFINITY },
      ['activation_threshold must be a number, 0 or more (stops)'],
    ],
    [
      { classifier: 'colbert', activationThreshold: Number.NaN },
      ['activation_threshold must be a number, 0 or more (stops)'],
    ],
    [{ classifier: 'colbert', activationThreshold: -1 }, ['activation_threshold is below 0: the default applies']],
    [
      { classifier: 'decisions', activationThreshold: 1.01 },
      ['activation_threshold must be a number from 0 to 1 (stops)'],
    ],
    [{ classifier: 'colbert', embeddingCache: { embeddingModel: 'e', confidenceThreshold: 20 } }, []],
    [
      {
        classifier: 'colbert',
        embeddingCache: { embeddingModel: 'e', confidenceThreshold: -1, similarityThreshold: 2 },
      },
      [
        'embedding_cache.similarity_threshold must be a number from 0 to 1: the cache is not used',
        'embedding_cache.confidence_threshold must be a number, 0 or more: the cache is not used',
      ],
    ],
    [
      { embeddingCache: { embeddingModel: 'e', confidenceThreshold: 20 } },
      ['embedding_cache.confidence_threshold must be a number from 0 to 1: the cache is not used'],
    ],
    [{ activationThreshold: -1 }, ['activation_threshold is below 0: the default applies']],
    [
      { classifier: 'decisions', activationThreshold: -1 },
      ['activation_threshold must be a number from 0 to 1 (stops)'],
    ],
    [{ classifierCacheSize: -1 }, ['classifier_cache_size must be a whole number, 0 or more (stops)']],
    [{ candidates: [] }, ['candidates must name at least one model']],
    [
      { candidates: [{ model: ' ', labels: ['', 'code', 'code', 'other'] }] },
      [
        'candidates.0.model is empty',
        'candidates.0.labels.0 is empty',
        'candidates.0.labels.2 repeats the label "code"',
        'candidates.0.labels.3 "other" is not a label of policies',
      ],
    ],
    [
      {
        policies: [
          { label: '', description: 'x' },
          { label: 'a', description: ' ' },
          { label: 'a', description: 'x' },
        ],
        candidates: [{ model: 'm', labels: ['a'] }],
      },
      [
        'policies.0.label is empty (stops)',
        'policies.1.description is empty (stops)',
        'policies.2.label repeats the label "a" (stops)',
      ],
    ],
    [{ classifier: 'knn', activationThreshold: 0 }, ['knn is missing (stops)']],
    [
      { classifier: 'knn', knn: { embeddingModel: '', k: 1025, similarityThreshold: 2, voteThreshold: -1 } },
      [
        'activation_threshold has no effect with knn: set knn.vote_threshold',
        'knn.embedding_model is missing (stops)',
        'knn.similarity_threshold must be a number from 0 to 1 (stops)',
        'knn.vote_threshold must be a number from 0 to 1 (stops)',
        'knn.k must be a whole number from 0 to 1024 (stops)',
      ],
    ],
    [
      { embeddingCache: { embeddingModel: '', similarityThreshold: 3, confidenceThreshold: Number.NaN } },
      [
        'embedding_cache.embedding_model is missing: the cache is not used',
        'embedding_cache.similarity_threshold must be a number from 0 to 1: the cache is not used',
        'embedding_cache.confidence_threshold must be a number from 0 to 1: the cache is not used',
      ],
    ],
  ])('name their mistakes: %j', (settings, expected) => {
    expect(problems(settings)).toEqual(expected)
  })

  it('have a bound of policies', () => {
    const policies = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ label: `${index}`, description: 'x' }))
    const candidates = [{ model: 'm', labels: ['1'] }]
    expect(problems({ policies: policies(256), candidates })).toEqual([])
    expect(problems({ policies: policies(257), candidates })).toEqual(['policies must name at most 256 labels (stops)'])
    expect(problems({ classifier: 'decisions', policies: policies(65), candidates })).toEqual([
      'policies must name at most 64 labels (stops)',
    ])
  })
})
