/**
 * Bounded reading of ZIP archives in memory.
 *
 * @module
 */

export { openZip, type ZipArchive } from './binary/open-zip.ts'
