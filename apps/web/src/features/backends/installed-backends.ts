import { isRecord } from '../../lib/api-error.ts'

/** A backend that is here. */
export interface InstalledBackend {
  readonly name: string
  /** Empty where nobody knows it. */
  readonly version: string
  /** Whether it only points at another one that suits this machine. */
  readonly isMeta: boolean
  /** Whether it belongs to the system and cannot be removed here. */
  readonly isSystem: boolean
  /** A newer version of its gallery. */
  readonly availableVersion: string | undefined
  /** What else is written down about it: names and texts. */
  readonly facts: readonly (readonly [name: string, text: string])[]
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Reads the installed backends, for which the server's document has no schema. */
export function readInstalled(reply: unknown): readonly InstalledBackend[] {
  if (!Array.isArray(reply)) return []
  return reply.flatMap((entry: unknown): InstalledBackend[] => {
    if (!isRecord(entry) || typeof entry.Name !== 'string') return []
    const metadata = isRecord(entry.Metadata) ? entry.Metadata : {}
    const hasUpgrade = entry.upgrade_available === true
    return [
      {
        name: entry.Name,
        version: toText(metadata.version),
        isMeta: entry.IsMeta === true,
        isSystem: entry.IsSystem === true,
        availableVersion: hasUpgrade ? toText(entry.available_version) : undefined,
        facts: Object.entries(metadata).flatMap(([name, value]) =>
          typeof value === 'string' && value !== '' && name !== 'version' && name !== 'name' ? [[name, value]] : [],
        ),
      },
    ]
  })
}
