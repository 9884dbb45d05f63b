/**
 * The labelled texts of a router: checked, embedded, stored line by line and searched by vector.
 *
 * @module
 */

export { type Corpora, type CorporaOptions, createCorpora } from './corpora.ts'
export type { AddedEntries, Corpus, CorpusOptions, CorpusStats } from './corpus.ts'
export { type CorpusEntry, createEntryId, MAX_ENTRIES_PER_REQUEST } from './entry.ts'
export { createFingerprint } from './fingerprint.ts'
export type { StoredEntry } from './line.ts'
export type { LineProblem } from './load-entries.ts'
export type { CorpusLine, CorpusStore } from './ports.ts'
