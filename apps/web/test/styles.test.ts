import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import {
  files,
  GLOBAL,
  globals,
  listClasses,
  modules,
  readOwn,
  readSelectors,
  readTopSelectors,
  STYLES,
  sheets,
  toSheetName,
} from './sheets.ts'

const MAX_BASE_LINES = 400
/** Classes of the elements that libraries draw: the highlighter, the editor, the charts. */
const LIBRARY_CLASS = /^(?:hl|cm|u)-/
/** A name of whole words: `saveBar`, `colour1`. */
const WHOLE_WORDS = /^(?:[a-z][a-z]+)(?:[A-Z][a-z]+|\d)*$/

const sources = files.filter((name) => /(?<!\.test)\.tsx?$/.test(name) && !name.endsWith('.gen.ts'))

interface Uses {
  /** Names read from modules, by the module's file. */
  readonly read: Map<string, Set<string>>
  /** Words of class names that are written out. */
  readonly words: Set<string>
  readonly faults: readonly string[]
}

/** Reads the uses of style sheets in a source. */
function readUses(file: string): Uses {
  const text = readFileSync(file, 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX)
  const imported = new Map<string, string>()
  const read = new Map<string, Set<string>>()
  const words = new Set<string>()
  const faults: string[] = []

  const noteImport = ({ moduleSpecifier, importClause }: ts.ImportDeclaration) => {
    if (!ts.isStringLiteral(moduleSpecifier) || !moduleSpecifier.text.endsWith('.css')) return
    const path = moduleSpecifier.text
    const bindings = importClause?.namedBindings
    if (path.endsWith('.module.css') && bindings !== undefined && ts.isNamespaceImport(bindings)) {
      imported.set(bindings.name.text, join(dirname(file), path))
    } else if (path.startsWith('.') && dirname(join(dirname(file), path)) !== STYLES) {
      faults.push(`${toSheetName(file)} loads ${path}, which is not a module`)
    }
  }
  const noteRead = (node: ts.Node) => {
    if (!ts.isIdentifier(node)) return
    const module = imported.get(node.text)
    if (module === undefined || ts.isNamespaceImport(node.parent)) return
    const { parent } = node
    if (!ts.isPropertyAccessExpression(parent) || parent.expression !== node) {
      faults.push(`${toSheetName(file)} reads ${node.text} without naming a class`)
      return
    }
    read.set(module, (read.get(module) ?? new Set()).add(parent.name.text))
  }
  const noteWords = (node: ts.Node): void => {
    if (ts.isConditionalExpression(node)) {
      noteWords(node.whenTrue)
      noteWords(node.whenFalse)
      return
    }
    if (ts.isCallExpression(node) || ts.isElementAccessExpression(node)) return
    if (ts.isBinaryExpression(node) && node.operatorToken.kind !== ts.SyntaxKind.QuestionQuestionToken) return
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      for (const word of node.text.split(/\s+/)) if (word !== '') words.add(word)
    }
    ts.forEachChild(node, noteWords)
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) noteImport(node)
    noteRead(node)
    const isNamed = (name: ts.Node) => name.getText(source) === 'className'
    if ((ts.isJsxAttribute(node) || ts.isPropertyAssignment(node) || ts.isBindingElement(node)) && isNamed(node.name)) {
      if (node.initializer !== undefined) noteWords(node.initializer)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return { read, words, faults }
}

const uses = sources.map((file) => ({ file, ...readUses(file) }))

describe('the style sheets', () => {
  it('have no class outside styles/ that is not of a module', () => {
    const loose = sheets.filter((file) => dirname(file) !== STYLES && !file.endsWith('.module.css'))
    expect(loose.map(toSheetName)).toEqual([])
    expect(uses.flatMap(({ faults }) => faults)).toEqual([])
  })

  it('keep what every page shares short', () => {
    const lines = readFileSync(join(STYLES, 'base.css'), 'utf8').split('\n').length
    expect(lines).toBeLessThan(MAX_BASE_LINES)
  })

  it.each(modules.map((file) => [toSheetName(file), file]))(
    '%s names the classes that its components use',
    (_, file) => {
      const used = new Set(uses.flatMap(({ read }) => [...(read.get(file) ?? [])]))
      const own = readOwn(file)
      expect({ missing: [...used].filter((name) => !own.has(name)) }).toEqual({ missing: [] })
      expect({ unused: [...own].filter((name) => !used.has(name)) }).toEqual({ unused: [] })
    },
  )

  it('begin every rule of a module with a class of its own', () => {
    const shared = modules.flatMap((file) =>
      readTopSelectors(file)
        .filter((selector) => listClasses(selector.replace(GLOBAL, '')).size === 0)
        .map((selector) => `${toSheetName(file)}: ${selector}`),
    )
    expect(shared).toEqual([])
  })

  it('reach from a module only for shared classes and those of libraries', () => {
    const foreign = modules.flatMap((file) =>
      [...readSelectors(file).matchAll(GLOBAL)]
        .map(([, name = '']) => name)
        .filter((name) => !globals.has(name) && !LIBRARY_CLASS.test(name))
        .map((name) => `${toSheetName(file)}: ${name}`),
    )
    expect(foreign).toEqual([])
    const other = modules.filter((file) => /:global(?!\(\.[\w-]+\))/.test(readSelectors(file)))
    expect(other.map(toSheetName)).toEqual([])
  })

  it('name every shared class that a component writes out, and no other', () => {
    const unknown = uses.flatMap(({ file, words }) =>
      [...words].filter((word) => !globals.has(word)).map((word) => `${toSheetName(file)}: ${word}`),
    )
    expect(unknown).toEqual([])
    const written = new Set(uses.flatMap(({ words }) => [...words]))
    expect([...globals].filter((name) => !written.has(name))).toEqual([])
  })

  it('leave scrolling and its stop of the Tab key to one component', () => {
    const stops = sources.filter((file) => readFileSync(file, 'utf8').includes('tabIndex={0}'))
    // a chart is read by the arrow keys
    expect(stops.map(toSheetName).sort()).toEqual(['components/charts/chart.tsx', 'components/ui/scroll-region.tsx'])
    const silenced = sources.filter((file) => readFileSync(file, 'utf8').includes('noNoninteractiveTabindex'))
    expect(silenced.map(toSheetName)).toEqual([])
  })

  it('name classes with whole words', () => {
    const own = modules.flatMap((file) => [...readOwn(file)].map((name) => `${toSheetName(file)}: ${name}`))
    const shared = [...globals].map((name) => `styles: ${name}`)
    expect([...own, ...shared].filter((line) => !WHOLE_WORDS.test(line.split(': ')[1] ?? ''))).toEqual([])
  })
})
