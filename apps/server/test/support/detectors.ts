import { mockOptions } from '@svc/backend-mock/script'
import { inject } from 'vitest'
import { parse, stringify } from 'yaml'

declare module 'vitest' {
  export interface ProvidedContext {
    /**
     * Detectors of filtered requests: the ones that a test names, or every built-in one and the mock's recogniser
     * beside them.
     */
    readonly detectors?: 'own' | 'all'
  }
}

/** The detectors of this run: `vitest.config.ts` runs the tests of leaks, restoration and failures with all once more. */
const DETECTORS: 'own' | 'all' = inject('detectors') ?? 'own'

/** The source that a mask of an e-mail address names where a recogniser looks: of equal findings, the built-in's. */
export const MAIL_SOURCE: 'ner' | 'pattern' = DETECTORS === 'all' ? 'pattern' : 'ner'

type Keys = Readonly<Record<string, unknown>>

/** Files of the detectors that every filtered model has in a run with all: every built-in, and the mock's recogniser. */
export const EVERY_DETECTOR: Readonly<Record<string, Keys>> =
  DETECTORS === 'own'
    ? {}
    : {
        'every-built-in': { backend: 'pattern', pii_detection: { builtins: ['all'] } },
        'every-entity': {
          backend: 'mock',
          known_usecases: ['token_classify'],
          // few calls for a long text
          context_size: 4104,
          pii_detection: {},
          parameters: { model: 'every-entity.bin' },
          options: mockOptions({}),
        },
      }

/** The keys of a model file, in a run with all detectors with all of them. */
export function addDetectors(keys: Keys): Keys {
  if (DETECTORS === 'own') return keys
  const { pii, pii_detection: detection } = keys
  return {
    ...keys,
    ...(namesSome(pii, 'detectors') && {
      pii: { ...pii, detectors: [...pii.detectors, ...Object.keys(EVERY_DETECTOR)] },
    }),
    ...(namesSome(detection, 'patterns') && { pii_detection: { builtins: ['all'], ...detection } }),
  }
}

/** The text of a model file, likewise. A text that is not YAML stays as it is. */
export function addDetectorsToFile(text: string): string {
  if (DETECTORS === 'own') return text
  try {
    const keys: unknown = parse(text)
    return typeof keys === 'object' && keys !== null ? stringify(addDetectors(keys as Keys)) : text
  } catch {
    return text
  }
}

function namesSome<Key extends string>(block: unknown, key: Key): block is Keys & Readonly<Record<Key, unknown[]>> {
  if (typeof block !== 'object' || block === null) return false
  const list: unknown = Reflect.get(block, key)
  return Array.isArray(list) && list.length > 0
}
