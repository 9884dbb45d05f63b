import { spawnSync } from 'node:child_process'
import { mkdir, readdir, readFile, readlink, stat, writeFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { type TempDir, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { makeTar, paxEntry, type TarEntry } from './__fixtures__/tar.ts'
import { createLayerTarget, UNPACK_LIMITS } from './apply-layer.ts'
import { readDecompressed } from './decompress.ts'

const { signal } = new AbortController()

async function unpack(dir: TempDir, layers: readonly (readonly TarEntry[])[], limits = UNPACK_LIMITS): Promise<string> {
  const root = dir.join('root')
  await mkdir(root, { recursive: true })
  const target = createLayerTarget(root, limits)
  for (const layer of layers) {
    const bytes = makeTar(layer)
    await target.apply(pieces(bytes), { compressedBytes: bytes.length, signal })
  }
  return root
}

/** Bytes in odd pieces. */
async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += 777) yield bytes.subarray(start, start + 777)
}

const tree = async (root: string): Promise<string[]> => (await readdir(root, { recursive: true })).sort()

describe('layers', () => {
  it('are laid upon each other: later files win, removals remove, folders are cleared', async () => {
    await using dir = await tempDir()
    const root = await unpack(dir, [
      [
        { name: './', type: '5' },
        { name: './run.sh', content: 'one', mode: 0o4755 },
        { name: 'lib/', type: '5' },
        { name: 'lib/a', content: 'a' },
        { name: 'lib/b', content: 'b' },
        { name: 'cache/old', content: 'old' },
        { name: 'lib/link', type: '2', linkName: 'a' },
        { name: 'hard', type: '1', linkName: 'lib/a' },
        { name: 'becomes-file/x', content: 'x' },
      ],
      [
        { name: 'run.sh', content: 'two', mode: 0o755 },
        { name: 'lib/.wh.b' },
        { name: 'cache/.wh..wh..opq' },
        { name: 'cache/new', content: 'new' },
        { name: 'becomes-file', content: 'file' },
        paxEntry({ path: `deep/${'n'.repeat(120)}/file` }),
        { name: 'short', content: 'long name' },
      ],
    ])
    expect(await tree(root)).toEqual([
      'becomes-file',
      'cache',
      'cache/new',
      'deep',
      `deep/${'n'.repeat(120)}`,
      `deep/${'n'.repeat(120)}/file`,
      'hard',
      'lib',
      'lib/a',
      'lib/link',
      'run.sh',
    ])
    expect(await readFile(`${root}/run.sh`, 'utf8')).toBe('two')
    expect((await stat(`${root}/run.sh`)).mode & 0o7777).toBe(0o755)
    expect((await stat(`${root}/lib/a`)).mode & 0o7777).toBe(0o644)
    expect(await readlink(`${root}/lib/link`)).toBe('a')
    expect((await stat(`${root}/hard`)).ino).toBe((await stat(`${root}/lib/a`)).ino)
  })

  it('have links that lead through other links inside, and links that a later layer takes away', async () => {
    await using dir = await tempDir()
    const root = await unpack(dir, [
      [
        { name: 'usr/lib/x86/real', content: 'real' },
        { name: 'usr/lib64', type: '2', linkName: 'lib' },
        { name: 'lib', type: '2', linkName: 'usr/lib' },
        { name: 'usr/bin/X11', type: '2', linkName: '.' },
        { name: 'usr/lib/x86/same', type: '2', linkName: '../../../lib/x86/../x86/real' },
        { name: 'dangling', type: '2', linkName: 'lib/none/at/all' },
        { name: 'a/b/up', type: '2', linkName: '../..' },
      ],
      [{ name: 'a/b/.wh.up' }, { name: 'a/b/up/x', content: 'x' }, { name: 'late', type: '2', linkName: 'a/b/up/..' }],
      [{ name: 'a/.wh..wh..opq' }, { name: 'a/b/up', type: '2', linkName: '..' }],
    ])
    expect(await readFile(`${root}/usr/lib/x86/same`, 'utf8')).toBe('real')
    expect(await readlink(`${root}/late`)).toBe('a/b/up/..')
  })

  it('of GNU tar, compressed or not, come out as they went in', async () => {
    await using dir = await tempDir()
    await mkdir(dir.join('in/sub'), { recursive: true })
    await writeFile(dir.join('in/sub', `${'x'.repeat(180)}.txt`), 'a long name')
    await writeFile(dir.join('in/big'), Buffer.alloc(3_000_000, 7))
    for (const format of ['gnu', 'posix', 'ustar'].filter((one) => one !== 'ustar')) {
      const { stdout } = spawnSync('tar', [`--format=${format}`, '-C', dir.join('in'), '-c', '.'], { maxBuffer: 1e8 })
      for (const [name, bytes] of [
        ['plain', stdout],
        ['gzip', gzipSync(stdout)],
      ] as const) {
        const path = dir.join(`${format}.${name}`)
        await writeFile(path, bytes)
        const root = dir.join(`${format}-${name}`)
        await mkdir(root)
        await createLayerTarget(root).apply(readDecompressed(path, { signal }), {
          compressedBytes: bytes.length,
          signal,
        })
        expect(await tree(root)).toEqual(await tree(dir.join('in')))
        expect((await readFile(`${root}/big`)).equals(await readFile(dir.join('in/big')))).toBe(true)
      }
    }
  })
})

const hostile: readonly (readonly [string, readonly (readonly TarEntry[])[]])[] = [
  ['an absolute name', [[{ name: '/etc/x', content: 'x' }]]],
  ['a name that leads out', [[{ name: '../x', content: 'x' }]]],
  ['a name that leads out by a detour', [[{ name: 'a/../../x', content: 'x' }]]],
  ['a name of Windows', [[{ name: '..\\x', content: 'x' }]]],
  ['a name with a line end', [[{ name: 'a\nb', content: 'x' }]]],
  ['an extended path that leads out', [[paxEntry({ path: '../x' }), { name: 'ok', content: 'x' }]]],
  ['an extended path that is absolute', [[paxEntry({ path: '/x' }), { name: 'ok', content: 'x' }]]],
  ['a symbolic link to the root', [[{ name: 'l', type: '2', linkName: '/etc' }]]],
  ['a symbolic link that leads out', [[{ name: 'a/l', type: '2', linkName: '../../x' }]]],
  ['an extended link that leads out', [[paxEntry({ linkpath: '../x' }), { name: 'l', type: '2', linkName: 'ok' }]]],
  [
    'a file through a link',
    [
      [
        { name: 'd/', type: '5' },
        { name: 'l', type: '2', linkName: 'd' },
        { name: 'l/x', content: 'x' },
      ],
    ],
  ],
  [
    'a file through a link of a lower layer',
    [[{ name: 'l', type: '2', linkName: '.' }], [{ name: 'l/x', content: 'x' }]],
  ],
  [
    'a link that leads out through an earlier one',
    [
      [
        { name: 'a/b/c/', type: '5' },
        { name: 'a/b/c/up', type: '2', linkName: '../../..' },
        { name: 'out', type: '2', linkName: 'a/b/c/up/../etc' },
      ],
    ],
  ],
  [
    'a link that leads out through a later one',
    [
      [
        { name: 'out', type: '2', linkName: 'a/b/c/up/../etc' },
        { name: 'a/b/c/up', type: '2', linkName: '../../..' },
      ],
    ],
  ],
  [
    'a link that leads out through one of a later layer',
    [
      [
        { name: 'a/b/c/x', content: 'x' },
        { name: 'out', type: '2', linkName: 'a/b/c/../../../etc' },
      ],
      [{ name: 'a/b', type: '2', linkName: '.' }],
    ],
  ],
  [
    'a link that leads out once a folder is a link',
    [
      [
        { name: 'deep/er/x', content: 'x' },
        { name: 'deep/out', type: '2', linkName: 'er/../../deep' },
      ],
      [{ name: 'deep/er', type: '2', linkName: '..' }],
    ],
  ],
  [
    'a link that leads out through a chain',
    [
      [
        { name: 'd/e/f/', type: '5' },
        { name: 'one', type: '2', linkName: 'd/e/f' },
        { name: 'd/e/f/two', type: '2', linkName: '../../..' },
        { name: 'three', type: '2', linkName: 'one/two' },
        { name: 'd/four', type: '2', linkName: '../three/..' },
      ],
    ],
  ],
  [
    'a link that leads out through a name in other letters',
    [
      [
        { name: 'a/b/up', type: '2', linkName: '../..' },
        { name: 'out', type: '2', linkName: 'A/B/UP/..' },
      ],
    ],
  ],
  [
    'a link that leads out through a composed letter',
    [
      [
        { name: 'a/b/\u00e9', type: '2', linkName: '../..' },
        { name: 'out', type: '2', linkName: 'a/b/e\u0301/..' },
      ],
    ],
  ],
  [
    'links in a circle',
    [
      [
        { name: 'a', type: '2', linkName: 'b/x' },
        { name: 'b', type: '2', linkName: 'a/x' },
      ],
    ],
  ],
  ['a link that leads nowhere', [[{ name: 'l', type: '2', linkName: '' }]]],
  ['a hard link that leads out', [[{ name: 'l', type: '1', linkName: '../x' }]]],
  ['a hard link to the root', [[{ name: 'l', type: '1', linkName: '/etc/passwd' }]]],
  ['a hard link to nothing', [[{ name: 'l', type: '1', linkName: 'none' }]]],
  [
    'a hard link to a link',
    [
      [
        { name: 's', type: '2', linkName: 'x' },
        { name: 'l', type: '1', linkName: 's' },
      ],
    ],
  ],
  ['a character device', [[{ name: 'd', type: '3' }]]],
  ['a block device', [[{ name: 'd', type: '4' }]]],
  ['a pipe', [[{ name: 'p', type: '6' }]]],
  ['an unknown type', [[{ name: 'u', type: 'Z' }]]],
  [
    'names that differ in case',
    [
      [
        { name: 'A', content: 'x' },
        { name: 'a', content: 'y' },
      ],
    ],
  ],
  [
    'folders that differ in case',
    [
      [
        { name: 'A/', type: '5' },
        { name: 'a', content: 'y' },
      ],
    ],
  ],
  [
    'one name twice',
    [
      [
        { name: 'a', content: 'x' },
        { name: 'a', content: 'y' },
      ],
    ],
  ],
  [
    'a folder below a file',
    [
      [
        { name: 'a', content: 'x' },
        { name: 'a/b', content: 'y' },
      ],
    ],
  ],
  [
    'a file over a folder of its own',
    [
      [
        { name: 'a/b', content: 'x' },
        { name: 'a', content: 'y' },
      ],
    ],
  ],
  ['a removal of its own', [[{ name: 'a', content: 'x' }, { name: '.wh.a' }]]],
  ['a removal of nothing', [[{ name: '.wh.' }]]],
  ['a removal of the folder above', [[{ name: 'd/.wh...' }]]],
  ['a removal outside', [[{ name: '../.wh.x' }]]],
  [
    'a name deeper than the limit',
    [
      [
        { name: `${'d/'.repeat(70).slice(0, 99)}`, content: 'x' },
        paxEntry({ path: `${'d/'.repeat(80)}x` }),
        { name: 'x' },
      ],
    ],
  ],
  ['a sparse file', [[paxEntry({ 'GNU.sparse.major': '1' }), { name: 'x', content: 'x' }]]],
  ['a broken extended header', [[{ name: 'pax', type: 'x', content: '99999 path=x\n' }, { name: 'x' }]]],
  ['an endless extended header', [[{ name: 'pax', type: 'x', size: 100_000_000 }]]],
  ['a wrong checksum', [[{ name: 'x', content: 'x', checksum: '000001\0 ' }]]],
  ['a file that is cut off', [[{ name: 'x', content: 'x', size: 5000 }]]],
  ['a size beyond all numbers', [[paxEntry({ size: '9'.repeat(20) }), { name: 'x', content: 'x' }]]],
]

describe('a hostile layer', () => {
  // verifies model-admin:archives:links
  it.each(hostile)('with %s is refused, and nothing lies outside its folder', async (_what, layers) => {
    await using dir = await tempDir()
    await expect(unpack(dir, layers)).rejects.toMatchObject({ code: 'archive_refused' })
    expect(await readdir(dir.path)).toEqual(['root'])
  })

  it('that unpacks to far more than it is, or has too many members, is refused', async () => {
    await using dir = await tempDir()
    const zeros = makeTar([{ name: 'zeros', content: Buffer.alloc(8_000_000) }])
    const packed = gzipSync(zeros)
    await writeFile(dir.join('bomb'), packed)
    await mkdir(dir.join('root'))
    const target = createLayerTarget(dir.join('root'), { ...UNPACK_LIMITS, ratioFreeBytes: 1_000_000 })
    const bomb = target.apply(readDecompressed(dir.join('bomb'), { signal }), {
      compressedBytes: packed.length,
      signal,
    })
    await expect(bomb).rejects.toThrow('unpacks to far more')
    const many = Array.from({ length: 20 }, (_, index) => ({ name: `f-${index}` }))
    const crowded = unpack(dir, [many], { ...UNPACK_LIMITS, maxMembers: 10 })
    await expect(crowded).rejects.toThrow('more than 10 members')
  })

  it('that is not an archive, or damaged in its compression, is refused', async () => {
    await using dir = await tempDir()
    const good = gzipSync(makeTar([{ name: 'x', content: Buffer.alloc(100_000, 1) }]))
    const damaged = Buffer.from(good)
    damaged.fill(0xff, 40, 60)
    for (const bytes of [
      Buffer.from('<html>'.repeat(200)),
      good.subarray(0, 60),
      damaged,
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 1, 2, 3]),
    ]) {
      await writeFile(dir.join('layer'), bytes)
      const root = dir.join('root')
      await mkdir(root, { recursive: true })
      const refused = createLayerTarget(root).apply(readDecompressed(dir.join('layer'), { signal }), {
        compressedBytes: bytes.length,
        signal,
      })
      await expect(refused).rejects.toMatchObject({ code: 'archive_refused' })
    }
  })
})
