/** What a front end and the table had in common last. */
export interface Agreed {
  /** SHA-256 of the content, hexadecimal; empty: no file. */
  readonly revision: string
  readonly version: number
}

/** A file of a front end beside its document. */
export interface Sides {
  /** Undefined for a file that this front end and the table never had in common. */
  readonly agreed: Agreed | undefined
  /** Revision of the file here; empty: no file. */
  readonly local: string
  /** The document, with an empty revision when it is deleted; undefined without one. */
  readonly shared: Agreed | undefined
  /** Whether this front end compares for the first time since its start. */
  readonly isFirst: boolean
  /** Whether marks of deleted documents may have been forgotten since the last comparison. */
  readonly isStale: boolean
}

/**
 * What makes both equal:
 * - `none`: nothing
 * - `agree`: they are equal; note it
 * - `forget`: neither is there; forget what was noted
 * - `pull`: write the document here, or delete the file
 * - `replace`: as `pull`, and keep a copy of the file here
 * - `push`: write the file into the table, or mark its document as deleted
 */
export type Decision = 'none' | 'agree' | 'forget' | 'pull' | 'replace' | 'push'

/**
 * Decides which side is newer. When both have changed, the table wins at a start, because its changes may be newer than
 * those of a front end that was off; later the front end wins, because its change is the last one.
 */
export function decideChange(sides: Sides): Decision {
  const { agreed, local, shared, isFirst } = sides
  if (shared === undefined) return decideWithoutDocument(sides)
  const isChangedThere = shared.version !== agreed?.version
  if (local === shared.revision) return isChangedThere || local !== agreed?.revision ? 'agree' : 'none'
  if (local === (agreed?.revision ?? '')) return 'pull'
  if (!isChangedThere) return 'push'
  if (!isFirst) return 'push'
  return local === '' ? 'pull' : 'replace'
}

/** A missing document was never written, was deleted long ago, or was lost with an older copy of the database. */
function decideWithoutDocument({ agreed, local, isStale }: Sides): Decision {
  if (local === '') return agreed === undefined ? 'none' : 'forget'
  return local === agreed?.revision && isStale ? 'pull' : 'push'
}
