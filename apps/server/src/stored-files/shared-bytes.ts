/** The bytes of files that all front ends of a cluster can have. */
export interface SharedBytes {
  /**
   * Copies a file, unless it is too large: then only the server that has it can give it.
   *
   * @param file names the bytes in the cluster
   * @throws {SvcError} of the database; the system's error of the file
   */
  put(file: string, path: string): Promise<void>
  /**
   * Writes the bytes to a path, whole or not at all.
   *
   * @param sizeBytes of the whole file
   * @returns false when they are not there
   * @throws {SvcError} of the database; `insufficient_storage`, `internal`
   */
  fetch(file: string, to: { readonly path: string; readonly sizeBytes: number }): Promise<boolean>
  /** Removes copies. @throws {SvcError} of the database */
  remove(files: readonly string[]): Promise<void>
}
