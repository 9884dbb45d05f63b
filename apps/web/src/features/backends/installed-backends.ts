import type { paths } from '../../lib/schema.gen.ts'

/** A backend as the server lists it. */
type ListedBackend = paths['/backends']['get']['responses'][200]['content']['application/json'][number]

/** A backend that is here. */
export interface InstalledBackend {
  readonly name: string
  /** Empty if it is unknown. */
  readonly version: string
  /** Whether it only points at another one that suits this machine. */
  readonly isMeta: boolean
  /** Whether it is part of the system and cannot be removed here. */
  readonly isSystem: boolean
  /** A newer version of its gallery. */
  readonly availableVersion: string | undefined
  /** Further facts about it: names and texts. */
  readonly facts: readonly (readonly [name: string, text: string])[]
}

/** The installed backends, with the recorded facts about each. */
export function describeInstalled(backends: readonly ListedBackend[]): readonly InstalledBackend[] {
  return backends.map(({ Name, IsMeta, IsSystem, Metadata, upgrade_available, available_version }) => {
    const { name: _, version = '', ...facts } = Metadata
    return {
      name: Name,
      version,
      isMeta: IsMeta,
      isSystem: IsSystem,
      availableVersion: upgrade_available === true ? available_version : undefined,
      facts: Object.entries(facts).filter(([, text]) => text !== ''),
    }
  })
}
