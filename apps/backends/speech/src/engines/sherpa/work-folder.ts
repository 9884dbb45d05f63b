import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

const NAME = /^svc-speech-(\d+)-/

/** A private folder for the files of one loaded model. */
export interface WorkFolder {
  readonly path: string
  /** Path of a file in it. */
  join(name: string): string
  /** Removes it with its files. */
  close(): Promise<void>
}

/** Makes a folder in the temporary folder. Removes those of processes that have ended. */
export async function makeWorkFolder(): Promise<WorkFolder> {
  await sweep()
  const folder = await mkdtemp(path.join(tmpdir(), `svc-speech-${process.pid}-`))
  return {
    path: folder,
    join: (name) => path.join(folder, name),
    close: async () => await rm(folder, { recursive: true, force: true }),
  }
}

async function sweep(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const [, pid] = NAME.exec(name) ?? []
    if (pid === undefined || isRunning(Number(pid))) continue
    // a folder of another user stays
    await rm(path.join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined)
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
