const SETTLING_MS = 2000

/** A regular file inside a models folder. */
export interface FoundFile {
  readonly found: true
  /** Its real path; never a link. */
  readonly path: string
  readonly sizeBytes: number
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number
  /** Changes with the content. Until the file {@link isSettled} the content may change without it. */
  readonly signature: string
  /** Time of the last change of content or attributes by the clock of the file system, milliseconds since the epoch. */
  readonly changedAt: number
}

/** A file, the reason why it is unusable, or undefined when there is none. */
export type FileLookup = FoundFile | { readonly found: false; readonly fault: string } | undefined

/**
 * Whether a file changed so long ago that another change shows in its times. Clocks of file systems tick up to 2 s apart.
 *
 * @param now milliseconds since the epoch
 */
export function isSettled({ changedAt }: Pick<FoundFile, 'changedAt'>, now: number): boolean {
  return now - changedAt > SETTLING_MS
}
