import { SvcError } from '@svc/errors'
import { createSerialQueue } from '../../concurrency/serial-queue.ts'
import { isSafeName } from '../../files/safe-path.ts'
import type { Clock } from '../../ports.ts'
import { applyChange, type ChangeParts, type Outcome } from './apply-change.ts'
import { decideChange } from './decide-change.ts'
import { type Ledger, openLedger } from './ledger.ts'

/** Keeps the files of a folder equal to the documents of a kind. */
export interface FolderSync {
  /**
   * Compares the folder with the table and makes both equal. A failure is logged; the next comparison tries again.
   * Comparisons run one after the other.
   *
   * @returns whether files here have changed
   */
  run(): Promise<boolean>
}

/** Options of {@link createFolderSync}. */
export interface FolderSyncOptions extends ChangeParts {
  /** Which names are shared; checks those of the table. */
  readonly accepts: (name: string) => boolean
  /** Where it is kept what was compared. */
  readonly ledgerPath: string
  /** Id of the database. */
  readonly instanceId: string
  /** Called after documents were written, so that other front ends look. */
  readonly onPushed: () => void
  readonly clock: Clock
}

const DAY_MS = 86_400_000
/** How long it is known that a document was deleted. */
export const DELETED_FOR_MS = 30 * DAY_MS
/** Front ends that were off for longer than this may have missed a mark. A day covers clocks that differ. */
const STALE_AFTER_MS = DELETED_FOR_MS - DAY_MS
/** Time between two removals of old marks. */
const FORGET_EVERY_MS = DAY_MS
/** Comparisons in a row while front ends change the same files. The next one comes with a message or the next look. */
const ATTEMPTS = 5
/** Largest number of names of one kind. */
const MAX_NAMES = 20_000
const MAX_SHOWN = 20

/** Creates the comparison of a folder with the table. */
export function createFolderSync(options: FolderSyncOptions): FolderSync {
  const { documents, local, clock } = options
  const inTurn = createSerialQueue()
  const report = createReport(options)
  const openOf = createLedgers(options)
  let forgotAt = Number.NEGATIVE_INFINITY

  /** @returns what happened, each once */
  async function compare(): Promise<ReadonlySet<Outcome>> {
    const { ledger, isFirst, compared } = await openOf(await local.identify())
    const shared = new Map((await documents.list()).map((row) => [row.name, row]))
    const found = await local.scan()
    const isStale = ledger.comparedAt !== undefined && clock.now() - ledger.comparedAt > STALE_AFTER_MS
    const names = [...new Set([...shared.keys(), ...found.keys(), ...ledger.names()])]
    const problems = names.length > MAX_NAMES ? [`only ${MAX_NAMES} of ${names.length} files are shared`] : []
    const outcomes = new Set<Outcome>()
    for (const name of names.slice(0, MAX_NAMES).filter((each) => isShared(each, options))) {
      const file = { name, local: found.has(name) ? found.get(name) : '', shared: shared.get(name), ledger }
      const outcome = await applyOne(file, { isFirst, isStale })
      if (outcome instanceof Error) problems.push(`${name}: ${outcome.message}`)
      else outcomes.add(outcome)
    }
    compared()
    await ledger.save(clock.now())
    report(problems)
    return outcomes
  }

  /** @returns the error of this file alone @throws {SvcError} when the database is away: no other file fares better */
  async function applyOne(
    {
      local: revision,
      ...file
    }: Omit<Parameters<typeof applyChange>[1], 'local'> & { readonly local: string | undefined },
    when: { readonly isFirst: boolean; readonly isStale: boolean },
  ): Promise<Outcome | Error> {
    if (revision === undefined) return new Error('it is a link, or too large, or cannot be read')
    const { name, ledger, shared } = file
    const decision = decideChange({ agreed: ledger.get(name), local: revision, shared, ...when })
    try {
      return await applyChange(decision, { ...file, local: revision }, options)
    } catch (error) {
      if (SvcError.is(error) && error.kind === 'unavailable') throw error
      return error instanceof Error ? error : new Error(String(error))
    }
  }

  async function forgetOldMarks(): Promise<void> {
    if (clock.monotonic() - forgotAt < FORGET_EVERY_MS) return
    await documents.forgetDeleted(DELETED_FOR_MS)
    forgotAt = clock.monotonic()
  }

  async function compareUntilSettled(): Promise<boolean> {
    const all = new Set<Outcome>()
    try {
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const outcomes = await compare()
        for (const outcome of outcomes) all.add(outcome)
        if (!outcomes.has('later')) break
      }
      await forgetOldMarks()
    } catch (error) {
      report([error instanceof Error ? error.message : String(error)])
    }
    if (all.has('pushed')) options.onPushed()
    return all.has('pulled')
  }

  return { run: () => inTurn(compareUntilSettled) }
}

function isShared(name: string, { accepts }: Pick<FolderSyncOptions, 'accepts'>): boolean {
  return accepts(name) && !name.includes('/') && isSafeName(name.replace(/^\.+/, ''))
}

/** Keeps the ledger of the folder. Another folder, such as after a lost mount, begins anew. */
function createLedgers({ ledgerPath, instanceId }: Pick<FolderSyncOptions, 'ledgerPath' | 'instanceId'>) {
  let opened: { readonly of: string; readonly ledger: Ledger } | undefined
  let isFirst = true
  return async (folder: string | undefined) => {
    if (folder === undefined) throw new Error('its folder is not there')
    const of = `${instanceId} ${folder}`
    if (opened?.of !== of) {
      opened = { of, ledger: await openLedger({ path: ledgerPath, of }) }
      isFirst = true
    }
    return {
      ledger: opened.ledger,
      isFirst,
      compared() {
        isFirst = false
      },
    }
  }
}

/** Logs problems once for each state. */
function createReport({ kind, logger }: Pick<FolderSyncOptions, 'kind' | 'logger'>) {
  let reported = ''
  return (problems: readonly string[]): void => {
    const text = problems.join('\n')
    if (text === reported) return
    reported = text
    if (text === '') return
    logger.warn({ kind, problems: problems.slice(0, MAX_SHOWN) }, 'files cannot be shared with other servers')
  }
}
