// Small faults that a test should notice: one token of a module is another one. `mutate.mjs` plants them one by one.
import ts from 'typescript'

/**
 * @typedef {object} Mutant
 * @property {number} start offset of the replaced text, in UTF-16 units
 * @property {number} end
 * @property {string} from the replaced text
 * @property {string} to the replacement
 * @property {number} line counted from 1
 */

/** @type {Readonly<Record<string, string>>} */
const OPERATORS = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '+=': '-=',
  '-=': '+=',
  '++': '--',
  '--': '++',
}

/** Words that a program compares or passes on. Sentences for people stay unchanged. */
const WORD = /^[\w./:-]{1,40}$/

const LARGE = 1000

/** @param {ts.Node} node */
const isText = (node) => ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)

/** Parts of a module without effect when it runs, and names. @param {ts.Node} node */
function isSilent(node) {
  return (
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node) ||
    ts.isTypeNode(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    (ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.DeclareKeyword))
  )
}

/** Whether an expression makes a text, as far as its literals show. @param {ts.Expression} node */
function makesText(node) {
  if (ts.isBinaryExpression(node)) return makesText(node.left) || makesText(node.right)
  return isText(node) || ts.isTemplateExpression(node)
}

/**
 * Whether a node is the 0 or the empty text of `list[index] ?? 0`: the compiler asks for one where the index is never
 * outside.
 *
 * @param {ts.Node} node
 */
function isFiller(node) {
  const { parent } = node
  return (
    ts.isBinaryExpression(parent) &&
    parent.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken &&
    parent.right === node &&
    ts.isElementAccessExpression(parent.left) &&
    ['0', "''"].includes(node.getText())
  )
}

/**
 * Whether an async function only returns the value that it awaits: nothing in it runs afterwards.
 *
 * @param {ts.AwaitExpression} node
 */
function isHandedOn(node) {
  /** @type {ts.Node} */
  let result = node
  while (isResultOf(result, result.parent)) result = result.parent
  if (!ts.isReturnStatement(result.parent)) return ts.isArrowFunction(result.parent)
  /** @type {ts.Node} */
  let outer = result.parent
  while (!ts.isFunctionLike(outer)) {
    if (ts.isTryStatement(outer) || (ts.isBlock(outer) && outer.statements.some(isUsing))) return false
    outer = outer.parent
  }
  return true
}

/** Whether an expression may have the value of a part of it. @param {ts.Node} part @param {ts.Node} whole */
function isResultOf(part, whole) {
  if (ts.isConditionalExpression(whole)) return whole.condition !== part
  if (ts.isBinaryExpression(whole)) return whole.right === part && CHOICES.has(whole.operatorToken.kind)
  return ts.isParenthesizedExpression(whole)
}

const CHOICES = new Set([
  ts.SyntaxKind.QuestionQuestionToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.AmpersandAmpersandToken,
])

/** @param {ts.Node} node */
function isUsing(node) {
  return ts.isVariableStatement(node) && (node.declarationList.flags & ts.NodeFlags.Using) !== 0
}

/**
 * The replacement of a node: the replaced node or token with its new text.
 *
 * @param {ts.Node} node
 * @returns {readonly [ts.Node, string] | undefined}
 */
function replace(node) {
  if (ts.isBinaryExpression(node)) {
    const to = OPERATORS[node.operatorToken.getText()]
    if (to === undefined || (to === '-' && makesText(node))) return undefined
    return [node.operatorToken, to]
  }
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
    return [node, node.operand.getText()]
  }
  if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) {
    const to = node.operator === ts.SyntaxKind.PlusPlusToken ? '--' : '++'
    const isStep = [ts.SyntaxKind.PlusPlusToken, ts.SyntaxKind.MinusMinusToken].includes(node.operator)
    if (!isStep) return undefined
    const operand = node.operand.getText()
    return [node, ts.isPrefixUnaryExpression(node) ? `${to}${operand}` : `${operand}${to}`]
  }
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [node, 'false']
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [node, 'true']
  if (node.parent !== undefined && isFiller(node)) return undefined
  if (ts.isNumericLiteral(node)) return [node, anotherNumber(node)]
  if (isText(node) && WORD.test(/** @type {ts.StringLiteral} */ (node).text) && !isName(node)) return [node, "'mutant'"]
  if (ts.isAwaitExpression(node) && (isHandedOn(node) || isUnseen(node))) return undefined
  if (ts.isAwaitExpression(node)) return [node, `(${node.expression.getText()})`]
  if (ts.isExpressionStatement(node) && isCall(node.expression)) return [node, ';']
  if (ts.isContinueStatement(node) || ts.isBreakStatement(node)) {
    return ts.isCaseOrDefaultClause(node.parent) ? undefined : [node, ';']
  }
  return undefined
}

/** A large number is mostly a bound on time or memory: one more makes no difference there. @param {ts.NumericLiteral} node */
function anotherNumber(node) {
  if (node.text === '1' || Number(node.text) >= LARGE) return '0'
  return `(${node.getText()} + 1)`
}

/** Methods whose effect only a power cut or the end of the process shows. */
const UNSEEN = new Set(['sync', 'unref'])

/** @param {ts.Node} node */
function isUnseen(node) {
  if (ts.isAwaitExpression(node)) return isUnseen(node.expression)
  return (
    ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && UNSEEN.has(node.expression.name.text)
  )
}

/** @param {ts.Node} node */
function isCall(node) {
  if (isUnseen(node)) return false
  if (ts.isAwaitExpression(node) || ts.isVoidExpression(node)) return isCall(node.expression)
  return ts.isCallExpression(node) && node.expression.kind !== ts.SyntaxKind.SuperKeyword
}

/** Keys of objects and names of modules; another word there changes a shape, which the compiler notices. @param {ts.Node} node */
function isName(node) {
  const { parent } = node
  if (ts.isPropertyAssignment(parent)) return parent.name === node
  return ts.isCallExpression(parent) && parent.expression.kind === ts.SyntaxKind.ImportKeyword
}

/**
 * All mutants of a module, in the order of the text.
 *
 * @param {string} source TypeScript
 * @returns {Mutant[]}
 */
export function listMutants(source) {
  const file = ts.createSourceFile('module.ts', source, ts.ScriptTarget.Latest, true)
  /** @type {Mutant[]} */
  const mutants = []
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (isSilent(node)) return
    const found = replace(node)
    if (found !== undefined) {
      const [target, to] = found
      const start = target.getStart(file)
      const end = target.getEnd()
      const { line } = file.getLineAndCharacterOfPosition(start)
      mutants.push({ start, end, from: source.slice(start, end), to, line: line + 1 })
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return mutants.sort((a, b) => a.start - b.start || b.end - a.end)
}

/**
 * Takes some of a list, the same ones for the same seed.
 *
 * @template Item
 * @param {readonly Item[]} items
 * @param {{ readonly count: number, readonly seed: number }} options
 * @returns {Item[]}
 */
export function takeSample(items, { count, seed }) {
  const left = [...items]
  /** @type {Item[]} */
  const taken = []
  let state = seed >>> 0
  while (left.length > 0 && taken.length < count) {
    // a linear congruential generator with the constants of Numerical Recipes
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    taken.push(...left.splice(Math.floor((state / 2 ** 32) * left.length), 1))
  }
  return taken
}

/** The module with the fault in it. @param {string} source @param {Pick<Mutant, 'start' | 'end' | 'to'>} mutant */
export function plant(source, { start, end, to }) {
  return `${source.slice(0, start)}${to}${source.slice(end)}`
}
