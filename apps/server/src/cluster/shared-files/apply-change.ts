import type { Logger } from '../../ports.ts'
import type { Agreed, Decision } from './decide-change.ts'
import type { Ledger } from './ledger.ts'
import type { EncodedFile, LocalFolder } from './local-folder.ts'
import type { DocumentState, SharedDocument, SharedDocuments } from './shared-documents.ts'

/** A document as a file. */
export interface SharedFile extends Pick<EncodedFile, 'content' | 'isBase64'> {
  /** What {@link ChangeParts.describe} gave at its origin; foreign, so check it. */
  readonly facts: unknown
}

/** What happened to a file: `later` leaves it to another comparison, because somebody changed it meanwhile. */
export type Outcome = 'none' | 'pulled' | 'pushed' | 'later'

/** The parts that change files and documents. */
export interface ChangeParts {
  /** The kind of documents, for messages. */
  readonly kind: string
  readonly documents: SharedDocuments
  readonly local: LocalFolder
  /** Facts about a file that go with it. @default none */
  readonly describe?: ((name: string, file: EncodedFile) => unknown) | undefined
  /** Called before a file is written here, with the facts of its origin, or deleted: undefined. */
  readonly onWrite?: ((name: string, file: SharedFile | undefined) => Promise<void>) | undefined
  /** Runs a write of the folder while nothing else changes the folder. @default at once */
  readonly alone?: (<T>(change: () => Promise<T>) => Promise<T>) | undefined
  readonly logger: Logger
}

/** A file that was compared. */
export interface ComparedFile {
  readonly name: string
  /** Revision of the file here; empty: no file. */
  readonly local: string
  readonly shared: DocumentState | undefined
  readonly ledger: Ledger
}

/** Makes a file and its document equal. @throws the error of the database or the file system */
export function applyChange(decision: Decision, file: ComparedFile, parts: ChangeParts): Promise<Outcome> {
  return STEPS[decision](file, parts)
}

type Step = (file: ComparedFile, parts: ChangeParts) => Promise<Outcome>

const STEPS: Readonly<Record<Decision, Step>> = {
  none: async () => 'none',
  async agree({ name, shared, ledger }) {
    ledger.note(name, shared && toAgreed(shared))
    return 'none'
  },
  async forget({ name, ledger }) {
    ledger.note(name, undefined)
    return 'none'
  },
  pull,
  async replace(file, parts) {
    return pull(file, parts, { keepsCopy: true })
  },
  push,
}

async function pull(
  compared: ComparedFile,
  parts: ChangeParts,
  { keepsCopy }: { readonly keepsCopy: boolean } = { keepsCopy: false },
): Promise<Outcome> {
  const { name, local: before, shared, ledger } = compared
  const { kind, documents, local, onWrite, logger, alone = (change) => change() } = parts
  const document = shared === undefined || shared.isDeleted ? undefined : await documents.read(name)
  if (shared?.isDeleted === false && document?.version !== shared.version) return 'later'
  return alone(async () => {
    // Somebody may have written the file since it was compared.
    if (((await local.read(name))?.revision ?? '') !== before) return 'later'
    if (keepsCopy) {
      const copy = await local.keep(name)
      logger.warn({ kind, file: name, copy }, 'file differs from the cluster and is kept under another name')
    }
    const file = document && toFile(document)
    await onWrite?.(name, file)
    if (file === undefined) await local.remove(name)
    else await local.write(name, file)
    ledger.note(name, shared && toAgreed(shared))
    logger.info(
      { kind, file: name },
      file === undefined ? 'file was deleted by another server' : 'file was written by another server',
    )
    return 'pulled'
  })
}

async function push({ name, local: revision, shared, ledger }: ComparedFile, parts: ChangeParts): Promise<Outcome> {
  const { documents, local, describe } = parts
  const over = shared?.version ?? 0
  const file = revision === '' ? undefined : await local.read(name)
  if ((file?.revision ?? '') !== revision) return 'later'
  const version =
    file === undefined
      ? await documents.remove(name, { over })
      : await documents.write(name, file.content, {
          over,
          details: JSON.stringify({ base64: file.isBase64, facts: describe?.(name, file) }),
        })
  // Another front end was faster.
  if (version === undefined) return 'later'
  ledger.note(name, { revision, version })
  return 'pushed'
}

function toAgreed({ revision, version }: DocumentState): Agreed {
  return { revision, version }
}

function toFile({ content, details }: SharedDocument): SharedFile {
  const { base64, facts } = JSON.parse(details) as { readonly base64?: unknown; readonly facts?: unknown }
  return { content, isBase64: base64 === true, facts }
}
