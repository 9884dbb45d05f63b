import type { ModelConfig } from '../catalog/model-config.ts'
import { type ClaimedHosts, readClaims } from './claims.ts'

/** Options of {@link createClaimSource}. */
export interface ClaimSourceOptions {
  /** Looks at the model files; gives the same list while nothing has changed. */
  readonly look: () => readonly unknown[]
  /** The models of the last look, with their defaults. */
  readonly models: () => readonly ModelConfig[]
  /** The files of the last look that have a problem. */
  readonly brokenFiles: () => Iterable<string>
  /** The detectors of the instance; the same list while nothing has changed. */
  readonly defaults: () => readonly string[]
}

/** The intercepted hosts of this moment. */
export interface ClaimSource {
  /** Looks at the files, as a request for a model does. Gives the same object while nothing has changed. */
  current(): ClaimedHosts
}

/**
 * Creates the source. A file that cannot be read any more keeps its hosts and its policy until it is mended or deleted,
 * so that a mistake in a file lets no private text out.
 */
export function createClaimSource({ look, models, brokenFiles, defaults }: ClaimSourceOptions): ClaimSource {
  let last:
    | { readonly looked: readonly unknown[]; readonly defaults: readonly string[]; claims: ClaimedHosts }
    | undefined
  return {
    current() {
      const [looked, detectors] = [look(), defaults()]
      if (last?.looked === looked && last.defaults === detectors) return last.claims
      const present = models()
      const kept = keepClaimants(last?.claims, present, new Set(brokenFiles()))
      last = { looked, defaults: detectors, claims: readClaims([...present, ...kept], detectors) }
      return last.claims
    },
  }
}

function keepClaimants(
  before: ClaimedHosts | undefined,
  present: readonly ModelConfig[],
  broken: ReadonlySet<string>,
): ModelConfig[] {
  const files = new Set(present.map(({ file }) => file))
  const names = new Set(present.map(({ name }) => name))
  return (before?.claimants ?? [])
    .map(({ model }) => model)
    .filter(({ file, name }) => broken.has(file) && !files.has(file) && !names.has(name))
}
