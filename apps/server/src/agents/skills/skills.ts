import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { SvcError } from '@svc/errors'
import { createSerialQueue } from '../../concurrency/serial-queue.ts'
import type { Logger } from '../../ports.ts'
import {
  checkResourcePath,
  checkSkillName,
  SKILL_FILE,
  SKILL_LIMITS,
  type Skill,
  type SkillResource,
  skillNotFound,
  wrongSkill,
} from './skill.ts'
import { packSkill, unpackSkill } from './skill-archive.ts'
import { readSkillFile, writeSkillFile } from './skill-file.ts'
import {
  listFiles,
  listFolders,
  makeFolder,
  readInside,
  removeFolder,
  removeInside,
  writeInside,
} from './skill-folder.ts'

/** Skills: folders with instructions that models read when they need them. */
export interface Skills {
  /** Where the folders are. */
  readonly folder: string
  /** The skills by name. Folders that cannot be read are left out. */
  list(): Promise<readonly Skill[]>
  /** The skills whose name, description or instructions have all words of a text. */
  search(text: string): Promise<readonly Skill[]>
  /** @throws {SvcError} `not_found`; `invalid_request` for a `SKILL.md` that cannot be read */
  get(name: string): Promise<Skill>
  /** @throws {SvcError} `invalid_request`, `conflict`, `insufficient_storage` */
  create(skill: Skill): Promise<Skill>
  /** Changes `SKILL.md`. @throws {SvcError} `invalid_request`, `not_found` */
  update(skill: Skill): Promise<Skill>
  /** @throws {SvcError} `not_found` */
  remove(name: string): Promise<void>
  /** Gives a skill as a gzipped tar archive. @throws {SvcError} `not_found` */
  pack(name: string): Promise<Uint8Array>
  /** Makes a skill of an archive. @throws {SvcError} `invalid_request`, `unprocessable`, `conflict`, `insufficient_storage` */
  unpack(path: string, signal: AbortSignal): Promise<Skill>
  /** The files beside `SKILL.md`. @throws {SvcError} `not_found` */
  resources(name: string): Promise<readonly SkillResource[]>
  /** @throws {SvcError} `not_found`, `invalid_request` */
  readResource(name: string, path: string): Promise<Buffer>
  /** @param isNew whether no file may be there. @throws {SvcError} `not_found`, `conflict`, `invalid_request`, `insufficient_storage` */
  writeResource(name: string, path: string, bytes: Uint8Array, options: { readonly isNew: boolean }): Promise<void>
  /** @throws {SvcError} `not_found`, `invalid_request` */
  removeResource(name: string, path: string): Promise<void>
}

/** Creates the skills of a folder, which may not exist yet. */
export function createSkills({ folder, logger }: { readonly folder: string; readonly logger: Logger }): Skills {
  /** Changes run one after another, so that bounds hold. */
  const change = createSerialQueue()

  async function find(name: string): Promise<string> {
    checkSkillName(name)
    const path = join(folder, name)
    const found = await lstat(path).catch(() => undefined)
    if (found?.isDirectory() !== true) throw skillNotFound(name)
    return path
  }

  async function get(name: string): Promise<Skill> {
    const path = await find(name)
    const bytes = await readInside(path, SKILL_FILE, SKILL_LIMITS.headBytes).catch((error: unknown) => {
      throw SvcError.is(error) && error.kind === 'not_found' ? skillNotFound(name) : error
    })
    const skill = readSkillFile(bytes.toString('utf8'))
    if (skill.name !== name) throw wrongSkill(`SKILL.md: its name is not that of its folder, ${name}`)
    return skill
  }

  async function list(): Promise<readonly Skill[]> {
    const found: Skill[] = []
    for (const name of (await listFolders(folder)).slice(0, SKILL_LIMITS.skills)) {
      try {
        found.push(await get(name))
      } catch (err) {
        logger.debug({ err, skill: name }, 'a skill cannot be read')
      }
    }
    return found
  }

  async function checkRoom(): Promise<void> {
    if ((await listFolders(folder)).length < SKILL_LIMITS.skills) return
    throw new SvcError('insufficient_storage', `there are ${SKILL_LIMITS.skills} skills, which is the most`)
  }

  return {
    folder,
    list,
    get,
    async search(text) {
      const words = text
        .toLowerCase()
        .split(/\s+/u)
        .filter((word) => word !== '')
      const fits = ({ name, description, content }: Skill): boolean => {
        const whole = `${name}\n${description}\n${content}`.toLowerCase()
        return words.every((word) => whole.includes(word))
      }
      return (await list()).filter(fits)
    },
    create: (skill) =>
      change(async () => {
        checkSkillName(skill.name)
        const text = writeSkillFile(skill)
        await checkRoom()
        await makeFolder(folder, skill.name, new Map([[SKILL_FILE, Buffer.from(text)]]))
        return get(skill.name)
      }),
    update: (skill) =>
      change(async () => {
        const path = await find(skill.name)
        await writeInside(path, SKILL_FILE, writeSkillFile(skill))
        return get(skill.name)
      }),
    remove: (name) =>
      change(async () => {
        await find(name)
        await removeFolder(folder, name)
      }),
    pack: async (name) => packFolder(name, await find(name)),
    unpack: async (archive, signal) => {
      const files = await unpackSkill(archive, signal)
      const { name } = readSkillFile(Buffer.from(files.get(SKILL_FILE) ?? '').toString('utf8'))
      return change(async () => {
        await checkRoom()
        await makeFolder(folder, name, files)
        return get(name)
      })
    },
    ...createResources({ find, change }),
  }
}

type Resources = Pick<Skills, 'resources' | 'readResource' | 'writeResource' | 'removeResource'>

function createResources({
  find,
  change,
}: {
  readonly find: (name: string) => Promise<string>
  readonly change: <T>(work: () => Promise<T>) => Promise<T>
}): Resources {
  async function resources(name: string): Promise<readonly SkillResource[]> {
    return (await listFiles(await find(name))).filter(({ path }) => path !== SKILL_FILE)
  }

  async function checkResourceRoom(name: string, path: string, bytes: Uint8Array): Promise<boolean> {
    const others = await resources(name)
    const same = others.find((other) => other.path.toLowerCase() === path.toLowerCase())
    if (same !== undefined && same.path !== path)
      throw wrongSkill(`path: the skill has '${same.path}', which looks like it`)
    const total = others.reduce((sum, { sizeBytes }) => sum + sizeBytes, bytes.length - (same?.sizeBytes ?? 0))
    const isFull = same === undefined && others.length + 1 >= SKILL_LIMITS.files
    if (isFull || total > SKILL_LIMITS.totalBytes || bytes.length > SKILL_LIMITS.fileBytes) {
      const { files, fileBytes, totalBytes } = SKILL_LIMITS
      throw new SvcError(
        'insufficient_storage',
        `a skill has at most ${files} files, ${fileBytes} bytes in one of them and ${totalBytes} bytes together`,
      )
    }
    return same !== undefined
  }

  return {
    resources,
    async readResource(name, path) {
      checkResourcePath(path)
      return readInside(await find(name), path, SKILL_LIMITS.fileBytes)
    },
    writeResource: (name, path, bytes, { isNew }) =>
      change(async () => {
        checkResourcePath(path)
        const isThere = await checkResourceRoom(name, path, bytes)
        if (isThere && isNew) throw new SvcError('conflict', `the skill has '${path}' already`)
        if (!isThere && !isNew) throw new SvcError('not_found', 'resource not found')
        await writeInside(await find(name), path, bytes)
      }),
    removeResource: (name, path) =>
      change(async () => {
        checkResourcePath(path)
        await removeInside(await find(name), path)
      }),
  }
}

async function packFolder(name: string, folder: string): Promise<Uint8Array> {
  const files = new Map<string, Uint8Array>()
  let left: number = SKILL_LIMITS.totalBytes
  for (const { path, sizeBytes } of await listFiles(folder)) {
    left -= sizeBytes
    if (left < 0) throw wrongSkill(`the skill is larger than ${SKILL_LIMITS.totalBytes} bytes`)
    if (path !== SKILL_FILE) checkResourcePath(path)
    files.set(path, await readInside(folder, path, sizeBytes))
  }
  return packSkill(name, files)
}
