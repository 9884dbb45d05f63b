import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A change that a page of `contributing/` shows: a whole new file, or lines of a file that exists. */
export interface RecipeChange {
  /** Path below the repository. */
  readonly file: string
  readonly kind: 'new' | 'edit'
  readonly text: string
}

/** A page as a test follows it. */
export interface Recipe {
  readonly changes: readonly RecipeChange[]
  /** Paths of the tests that the page names. */
  readonly tests: readonly string[]
}

/** Reads the changes of a page: code blocks with a path behind their language. A `diff` edits a file. */
export function readRecipe(markdown: string): Recipe {
  const changes: RecipeChange[] = []
  for (const [, indent = '', language = '', file = '', body = ''] of markdown.matchAll(
    /^([ ]*)```(\w+) (\S+)\n([\s\S]*?)^\1```$/gm,
  )) {
    const text = body.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
    changes.push({ file, kind: language === 'diff' ? 'edit' : 'new', text })
  }
  const tests = Array.from(markdown.matchAll(/`npx vitest run ([^`]+)`/g), ([, paths = '']) => paths.split(' '))
  return { changes, tests: tests.flat() }
}

/**
 * Applies the lines of a diff without line numbers. Parts are separated by `@@`; the lines of each, without the added
 * ones, must occur in the text exactly once.
 *
 * @throws {Error} for a part that does not occur exactly once, with its lines
 */
export function applyLines(text: string, diff: string): string {
  return diff.split(/^@@.*\n/m).reduce((edited, part) => {
    const lines = part.split('\n').filter((line) => line !== '')
    const pick = (signs: string) =>
      lines.flatMap((line) => (signs.includes(line[0] ?? '') ? [`${line.slice(1)}\n`] : []))
    const [before, after] = [pick(' -').join(''), pick(' +').join('')]
    const pieces = edited.split(before)
    if (pieces.length !== 2) throw new Error(`these lines stand ${pieces.length - 1} times in the file:\n${before}`)
    return pieces.join(after)
  }, text)
}

/** Makes a change in a copy. */
export function applyChange(copy: string, { file, kind, text }: RecipeChange): void {
  const path = join(copy, file)
  if (kind === 'edit') {
    writeFileSync(path, applyLines(readFileSync(path, 'utf8'), text))
    return
  }
  if (existsSync(path)) throw new Error(`${file} exists`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** Copies the files of the repository, its installed packages as links, and its compiler's build information. */
export function copyRepository(from: string, to: string): void {
  const git = ['ls-files', '--cached', '--others', '--exclude-standard', '-z']
  for (const file of execFileSync('git', git, { cwd: from, encoding: 'utf8', maxBuffer: 1 << 26 }).split('\0')) {
    if (file !== '' && existsSync(join(from, file)))
      cpSync(join(from, file), join(to, file), { preserveTimestamps: true })
  }
  symlinkSync(join(from, 'node_modules'), join(to, 'node_modules'))
  for (const folder of listPackages(to)) {
    for (const name of ['node_modules', '.tsbuild', ...(folder.startsWith('packages/') ? ['dist'] : [])]) {
      const made = join(from, folder, name)
      if (existsSync(made))
        cpSync(made, join(to, folder, name), { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
    }
  }
}

function listPackages(root: string): string[] {
  const parents = ['packages', 'apps', 'apps/backends', 'examples']
  return [
    ...parents.flatMap((parent) => readdirSync(join(root, parent)).map((name) => join(parent, name))),
    'bench',
  ].filter((folder) => existsSync(join(root, folder, 'package.json')))
}
