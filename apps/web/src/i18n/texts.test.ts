import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const here = dirname(fileURLToPath(import.meta.url))
const source = dirname(here)
const locales = join(here, 'locales')

/** Attributes whose text a person reads or hears. */
const READ_ATTRIBUTES = new Set(['aria-label', 'alt', 'label', 'placeholder', 'title', 'text', 'hint'])
/** Texts that are the same in every language: names, keys of the keyboard, signs. */
const SAME_EVERYWHERE = /^(?:svc|svc run .*|SHA-256|Ctrl K|Ctrl Enter|Esc|--[a-z-]+|[^\p{L}]*)$/u
const PLURALS = /_(?:zero|one|two|few|many|other)$/

interface Use {
  /** A key with its namespace, or a pattern for keys that are put together. */
  readonly key: string | RegExp
  readonly where: string
}

const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|\.gen\.ts$/.test(file))
  .map((file) => join(source, file))

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** A key of a page that the page's namespace lacks is one of the shared texts. */
function withoutNamespace(key: string): string {
  return key.replace(/^[^:]+:/, 'common:')
}

/** The name that a key has with its namespace. */
function qualify(key: string, namespace: string): string {
  return key.includes(':') ? key : `${namespace}:${key}`
}

/** Reads one file: the keys it uses and the literal texts in its JSX. */
function readFile(file: string): { uses: Use[]; literals: string[] } {
  const tree = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX)
  const uses: Use[] = []
  const literals: string[] = []
  const namespace = /(?:useTranslation\(\s*\[?\s*|TFunction<)'([^']+)'/.exec(tree.text)?.[1] ?? 'common'
  const locate = (node: ts.Node): string =>
    `${relative(source, file)}:${tree.getLineAndCharacterOfPosition(node.getStart()).line + 1}`
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /(?:^|\.)t$/.test(node.expression.getText())) readKey(node)
    if (ts.isJsxText(node) && !SAME_EVERYWHERE.test(node.text.trim()))
      literals.push(`${locate(node)} ${node.text.trim()}`)
    if (ts.isJsxAttribute(node) && READ_ATTRIBUTES.has(node.name.getText()) && node.initializer !== undefined) {
      const { initializer } = node
      if (ts.isStringLiteral(initializer) && !SAME_EVERYWHERE.test(initializer.text))
        literals.push(`${locate(node)} ${initializer.text}`)
    }
    ts.forEachChild(node, visit)
  }
  const readKey = (call: ts.CallExpression): void => {
    for (const node of listBranches(call.arguments[0])) {
      const where = locate(call)
      if (ts.isStringLiteralLike(node)) uses.push({ key: qualify(node.text, namespace), where })
      else if (ts.isTemplateExpression(node)) {
        const [head, ...rest] = [
          qualify(node.head.text, namespace),
          ...node.templateSpans.map(({ literal }) => literal.text),
        ]
        uses.push({ key: new RegExp(`^${[head ?? '', ...rest].map(escapePattern).join('[\\w-]+')}$`), where })
      } else literals.push(`${where} a key that cannot be read: ${node.getText()}`)
    }
  }
  visit(tree)
  return { uses, literals }
}

/** The expressions that a key can come from: both sides of a choice. */
function listBranches(node: ts.Expression | undefined): ts.Expression[] {
  if (node === undefined) return []
  if (ts.isConditionalExpression(node)) return [...listBranches(node.whenTrue), ...listBranches(node.whenFalse)]
  if (ts.isParenthesizedExpression(node)) return listBranches(node.expression)
  return [node]
}

/** Every key of a language with its text, plural forms unchanged. */
function readLocale(language: string): Map<string, string> {
  const texts = new Map<string, string>()
  const add = (path: string, value: unknown): void => {
    if (typeof value === 'string') texts.set(path, value)
    else
      for (const [name, inner] of Object.entries(Object(value)))
        add(path.endsWith(':') ? path + name : `${path}.${name}`, inner)
  }
  for (const name of readdirSync(join(locales, language)))
    add(`${name.replace('.json', '')}:`, JSON.parse(readFileSync(join(locales, language, name), 'utf8')))
  return texts
}

const read = files.map(readFile)
const uses = read.flatMap((file) => file.uses)
const english = readLocale('en')
const toBase = (key: string): string => key.replace(PLURALS, '')
const placeholders = (text: string): string[] => (text.match(/\{\{[^}]+\}\}/g) ?? []).sort()

describe('the texts of the interface', () => {
  it('stand in the locale files, not in the code', () => {
    expect(read.flatMap(({ literals }) => literals)).toEqual([])
  })

  it('exist for every key that is used', () => {
    const bases = new Set([...english.keys()].map(toBase))
    const missing = uses.filter(({ key }) =>
      typeof key === 'string'
        ? !bases.has(key) && !bases.has(withoutNamespace(key))
        : ![...bases].some((base) => key.test(base)),
    )
    expect(missing.map(({ key, where }) => `${where} ${key}`)).toEqual([])
  })

  it('are all used', () => {
    const isUsed = (key: string): boolean =>
      uses.some((use) =>
        typeof use.key === 'string' ? use.key === key || withoutNamespace(use.key) === key : use.key.test(key),
      )
    expect([...new Set([...english.keys()].map(toBase))].filter((key) => !isUsed(key))).toEqual([])
  })

  it.each(readdirSync(locales).filter((language) => language !== 'en'))(
    'are complete in %s, with the same values',
    (language) => {
      const texts = readLocale(language)
      const bases = new Set([...texts.keys()].map(toBase))
      expect([...english.keys()].map(toBase).filter((key) => !bases.has(key))).toEqual([])
      expect([...bases].filter((key) => ![...english.keys()].map(toBase).includes(key))).toEqual([])
      for (const [key, text] of texts) {
        const original = english.get(key) ?? english.get(`${toBase(key)}_other`) ?? ''
        const needed = placeholders(original).filter((name) => name !== '{{count}}')
        expect([key, placeholders(text).filter((name) => name !== '{{count}}')]).toEqual([key, needed])
      }
    },
  )
})
