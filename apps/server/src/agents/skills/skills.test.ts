import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip, gzipSync } from 'node:zlib'
import { tempDir } from '@svc/test-kit'
import { strToU8, zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import type { Logger } from '../../ports.ts'
import { packSkill } from './skill-archive.ts'
import { sweepSkills } from './skill-folder.ts'
import { offerSkills } from './skill-tools.ts'
import { createSkills } from './skills.ts'

const silent = () => undefined
const silentLogger = { trace: silent, debug: silent, info: silent, warn: silent, error: silent } as unknown as Logger
const { signal } = new AbortController()
const DRAFT = { name: 'make-tea', description: 'Makes tea: use it for "hot" drinks', content: '# Tea\n\nBoil water.' }

async function openSkills() {
  const dir = await tempDir()
  return { dir, folder: dir.join('skills'), skills: createSkills({ folder: dir.join('skills'), logger: silentLogger }) }
}

describe('skills', () => {
  it('are made, read, changed, searched and removed', async () => {
    const { dir, folder, skills } = await openSkills()
    expect(await skills.list()).toEqual([])
    const facts = { ...DRAFT, license: 'MIT', metadata: { author: 'Ada', version: '1.0' }, allowedTools: 'Read Bash' }
    expect(await skills.create(facts)).toEqual(facts)
    await expect(skills.create(DRAFT)).rejects.toMatchObject({ kind: 'conflict' })
    expect(await skills.update({ ...DRAFT, content: 'Use a pot.' })).toMatchObject({ content: 'Use a pot.' })
    expect(await skills.search('POT drinks')).toHaveLength(1)
    expect(await skills.search('coffee')).toEqual([])
    await skills.writeResource('make-tea', 'scripts/boil.sh', Buffer.from('echo hot'), { isNew: true })
    expect(await skills.resources('make-tea')).toMatchObject([{ path: 'scripts/boil.sh', sizeBytes: 8 }])
    await skills.writeResource('make-tea', 'scripts/boil.sh', Buffer.from('echo cold'), { isNew: false })
    expect((await skills.readResource('make-tea', 'scripts/boil.sh')).toString()).toBe('echo cold')
    await expect(
      skills.writeResource('make-tea', 'scripts/Boil.sh', Buffer.from(''), { isNew: true }),
    ).rejects.toMatchObject({ message: /looks like it/ })
    await skills.removeResource('make-tea', 'scripts/boil.sh')
    expect(await skills.resources('make-tea')).toEqual([])
    await skills.remove('make-tea')
    await expect(skills.get('make-tea')).rejects.toMatchObject({ kind: 'not_found' })
    expect(await readdir(folder)).toEqual([])
    await dir.close()
  })

  // verifies skills:folder:confined
  it('stay inside of their folder', async () => {
    const { dir, folder, skills } = await openSkills()
    await writeFile(dir.join('secret'), 'private')
    await skills.create(DRAFT)
    for (const name of ['..', 'a/b', 'Make-tea', 'make--tea', 'm\u0430ke', 'x'.repeat(65), '', 'config'])
      await expect(skills.create({ ...DRAFT, name }), name).rejects.toMatchObject({ kind: 'invalid_request' })
    for (const path of [
      '../secret',
      '/etc/passwd',
      'a//b',
      '.env',
      'a/.b',
      'a\\b',
      'a\0',
      'SKILL.md',
      'sk\u0131ll',
      'a.',
      '',
    ])
      await expect(skills.readResource('make-tea', path), path).rejects.toMatchObject({ kind: 'invalid_request' })
    await symlink(dir.join('secret'), `${folder}/make-tea/link`)
    await symlink(dir.path, `${folder}/make-tea/out`)
    await symlink(dir.path, `${folder}/other`)
    await expect(skills.readResource('make-tea', 'link')).rejects.toMatchObject({ kind: 'invalid_request' })
    await expect(skills.readResource('make-tea', 'out/secret')).rejects.toMatchObject({ message: /outside its folder/ })
    for (const path of ['link', 'out/new'])
      await expect(
        skills.writeResource('make-tea', path, Buffer.from('x'), { isNew: true }),
        path,
      ).rejects.toMatchObject({ message: /link is in/ })
    expect(await skills.resources('make-tea')).toEqual([])
    await expect(skills.get('other')).rejects.toMatchObject({ kind: 'not_found' })
    await dir.close()
  })

  it('travel as archives', async () => {
    const { dir, folder, skills } = await openSkills()
    await skills.create(DRAFT)
    await skills.writeResource('make-tea', 'assets/leaf.bin', Buffer.from([0, 255, 1]), { isNew: true })
    await writeFile(dir.join('tea.tar.gz'), await skills.pack('make-tea'))
    await expect(skills.unpack(dir.join('tea.tar.gz'), signal)).rejects.toMatchObject({ kind: 'conflict' })
    await skills.remove('make-tea')
    expect(await skills.unpack(dir.join('tea.tar.gz'), signal)).toEqual(DRAFT)
    expect(await skills.readResource('make-tea', 'assets/leaf.bin')).toEqual(Buffer.from([0, 255, 1]))

    const head = '---\nname: cut-bread\ndescription: Cuts\nallowed-tools: [Read, Bash]\n---\nSlowly.'
    const zip = (files: Readonly<Record<string, string>>) =>
      zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])))
    await writeFile(dir.join('a.zip'), zip({ 'cut-bread/SKILL.md': head, 'cut-bread/forms.md': 'x', '__MACOSX/a': '' }))
    expect(await skills.unpack(dir.join('a.zip'), signal)).toMatchObject({
      name: 'cut-bread',
      allowedTools: 'Read Bash',
    })
    expect(await skills.resources('cut-bread')).toMatchObject([{ path: 'forms.md' }])
    const wrong: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
      [{ 'a.md': '' }, /no SKILL.md/],
      [{ 'SKILL.md': head, '../x': '' }, /path: must/],
      [{ 'SKILL.md': head, 'a.md': '', 'A.md': '' }, /case alone/],
      [{ 's/SKILL.md': head, 'other/x': '' }, /beside the folder/],
      [{ 'SKILL.md': 'no head' }, /must begin with a head/],
      [{ 'SKILL.md': '---\nname: [\n---\n' }, /is not YAML/],
      [{ 'SKILL.md': '---\nname: a\ndescription: &a x\nlicense: *a\n---\n' }, /aliases/],
      [{ 'SKILL.md': '---\nname: A\ndescription: x\n---\n' }, /name: must/],
      [{ 'SKILL.md': '---\nname: a\n---\n' }, /description/],
      [{ 'SKILL.md': `${head}${'x'.repeat(262_144)}` }, /SKILL.md: has more than 262144 bytes/],
      [{ 'SKILL.md': `---\nname: a\ndescription: x\n${'k:\n'.repeat(12_000)}---\n` }, /head has more than 32768/],
    ]
    for (const [files, message] of wrong) {
      await writeFile(dir.join('b.zip'), zip(files))
      await expect(skills.unpack(dir.join('b.zip'), signal), String(message)).rejects.toMatchObject({ message })
    }
    expect((await skills.list()).map(({ name }) => name)).toEqual(['cut-bread', 'make-tea'])
    expect((await readdir(folder)).sort()).toEqual(['cut-bread', 'make-tea'])
    await writeFile(dir.join('c.zip'), zip({ 'SKILL.md': head }).subarray(0, -10))
    await expect(skills.unpack(dir.join('c.zip'), signal)).rejects.toMatchObject({ message: /the archive is damaged/ })
    await dir.close()
  })

  it('are refused as archives that repeat a file, or unpack to far more', async () => {
    const { dir, skills } = await openSkills()
    const entry = (await promisify(gunzip)(await packSkill('s', new Map([['a.md', new Uint8Array()]])))).subarray(
      0,
      512,
    )
    const refuse = async (tar: Uint8Array, message: RegExp) => {
      await writeFile(dir.join('a.tar.gz'), gzipSync(tar))
      await expect(skills.unpack(dir.join('a.tar.gz'), signal)).rejects.toMatchObject({ message })
    }
    await refuse(Buffer.concat([entry, entry]), /two files of one name/)
    const passedOver = await packSkill('.git', new Map([['pack', new Uint8Array(140_000_000)]]))
    await refuse(await promisify(gunzip)(passedOver), /unpacks to more than/)
    await dir.close()
  })

  it('are offered to models by name and description, and read with a tool', async () => {
    const { dir, folder, skills } = await openSkills()
    expect(await offerSkills(skills)).toEqual({ prompt: '', tools: [] })
    await skills.create(DRAFT)
    await skills.create({ ...DRAFT, name: 'other' })
    await skills.writeResource('make-tea', 'references/pots.md', Buffer.from('Clay.'), { isNew: true })
    await mkdir(`${folder}/broken`)
    const { prompt, tools } = await offerSkills(skills, ['make-tea', 'gone'])
    expect(prompt).toContain('- make-tea: Makes tea: use it for "hot" drinks')
    expect(prompt).not.toContain('other')
    const call = async (args: Record<string, unknown>) => (await tools[0]?.call(args, { signal }))?.content
    expect(await call({ name: 'make-tea' })).toEqual([
      { type: 'text', text: '# Tea\n\nBoil water.\n\nFiles of this skill:\n- references/pots.md' },
    ])
    expect(await call({ name: 'make-tea', path: 'references/pots.md' })).toEqual([{ type: 'text', text: 'Clay.' }])
    await expect(call({ name: 'other' })).rejects.toMatchObject({ kind: 'invalid_request' })
    await expect(call({ name: 'make-tea', path: '../other/SKILL.md' })).rejects.toMatchObject({
      kind: 'invalid_request',
    })
    await dir.close()
  })

  it('leave nothing of a killed server', async () => {
    const { dir, folder, skills } = await openSkills()
    await skills.create(DRAFT)
    await mkdir(`${folder}/.new-1/scripts`, { recursive: true })
    await mkdir(`${folder}/.gone-2`)
    await sweepSkills(folder)
    expect(await readdir(folder)).toEqual(['make-tea'])
    await dir.close()
  })
})
