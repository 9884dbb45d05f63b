import { mkdtemp, readdir, readlink, rm, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

const PREFIX = 'svc-speech-'
/** The space of a process and its id; earlier versions have the id alone. */
const NAME = /^svc-speech-(?:(\d+)-)?(\d+)-/
/** A folder in use is touched this often, milliseconds. */
const TOUCH_MS = 10 * 60_000
/** A folder whose process cannot be seen is taken for one in use until this long after it was touched, milliseconds. */
const UNSEEN_MS = 24 * 3_600_000

/** A private folder for the files of one loaded model. */
export interface WorkFolder {
  readonly path: string
  /** Path of a file in it. */
  join(name: string): string
  /** Removes it with its files. */
  close(): Promise<void>
}

/**
 * Makes a folder in the temporary folder. Removes those of processes that have ended. Containers may share the temporary
 * folder, and see no processes of each other: their folders go a day after they were last in use.
 */
export async function makeWorkFolder(): Promise<WorkFolder> {
  const space = await findProcessSpace()
  await sweep(space)
  const folder = await mkdtemp(path.join(tmpdir(), `${PREFIX}${space}-${process.pid}-`))
  const touching = setInterval(() => {
    const now = new Date()
    void utimes(folder, now, now).catch(() => undefined)
  }, TOUCH_MS).unref()
  return {
    path: folder,
    join: (name) => path.join(folder, name),
    async close() {
      clearInterval(touching)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The number of the space in which process ids are valid: that of a container on Linux, else 0. */
async function findProcessSpace(): Promise<string> {
  const link = await readlink('/proc/self/ns/pid').catch(() => '')
  return /\d+/.exec(link)?.[0] ?? '0'
}

async function sweep(space: string): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    if (!NAME.test(name)) continue
    const folder = path.join(tmpdir(), name)
    if (await isInUse(folder, space)) continue
    // a folder of another user stays
    await rm(folder, { recursive: true, force: true }).catch(() => undefined)
  }
}

async function isInUse(folder: string, space: string): Promise<boolean> {
  const [, itsSpace, pid] = NAME.exec(path.basename(folder)) ?? []
  if (itsSpace === space) return isRunning(Number(pid))
  const touched = await stat(folder).catch(() => undefined)
  return touched === undefined || Date.now() - touched.mtimeMs < UNSEEN_MS
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
