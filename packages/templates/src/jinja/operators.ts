import { raise } from './errors.ts'
import { failOnUndefined } from './fail-on-undefined.ts'
import { formatPercent } from './format/percent.ts'
import { escapeText } from './html.ts'
import {
  addNumbers,
  divideNumbers,
  floorDivideNumbers,
  multiplyNumbers,
  negateNumber,
  type Operand,
  raiseToPower,
  remainderOfNumbers,
  subtractNumbers,
  toOperand,
} from './numbers/arithmetic.ts'
import type { Rendering } from './rendering.ts'
import type { ArithmeticOperator } from './syntax/ast.ts'
import { typeName } from './values/type-name.ts'
import { Bytes, isList, isText, likeText, Markup, Tuple, toPlainText, type Value } from './values/value.ts'

/** Applies `+ - * / // % **`. @throws TypeError for values that the operator does not accept */
export function applyOperator(run: Rendering, operator: ArithmeticOperator, left: Value, right: Value): Value {
  const a = toOperand(left)
  const b = toOperand(right)
  if (a !== undefined && b !== undefined) return applyToNumbers(run, operator, a, b)
  // A text with a percent sign formats its operand itself.
  if (operator === '%' && isText(left)) return formatPercent(run, left, right)
  failOnUndefined(left)
  failOnUndefined(right)
  const result =
    operator === '+' ? concatenate(run, left, right) : operator === '*' ? repeat(run, left, right) : undefined
  return result ?? raise('TypeError', describeMismatch(operator, left, right))
}

/** Applies a sign. */
export function applySign(sign: '+' | '-', value: Value): Value {
  const operand = toOperand(value)
  if (operand !== undefined) return sign === '-' ? negateNumber(operand) : operand
  failOnUndefined(value)
  return raise('TypeError', `bad operand type for unary ${sign}: '${typeName(value)}'`)
}

function applyToNumbers(run: Rendering, operator: ArithmeticOperator, left: Operand, right: Operand): Operand {
  switch (operator) {
    case '+':
      return addNumbers(run, left, right)
    case '-':
      return subtractNumbers(run, left, right)
    case '*':
      return multiplyNumbers(run, left, right)
    case '/':
      return divideNumbers(run, left, right)
    case '//':
      return floorDivideNumbers(run, left, right)
    case '%':
      return remainderOfNumbers(run, left, right)
    case '**':
      return raiseToPower(run, left, right)
  }
}

function concatenate(run: Rendering, left: Value, right: Value): Value | undefined {
  if (typeof left === 'string' && typeof right === 'string') return run.built(left + right)
  if (isText(left) && isText(right)) return new Markup(run.built(toMarkup(run, left) + toMarkup(run, right)))
  if (isList(left) && isList(right)) {
    run.spend(left.length + right.length)
    return [...left, ...right]
  }
  if (left instanceof Tuple && right instanceof Tuple) {
    run.spend(left.items.length + right.items.length)
    return new Tuple([...left.items, ...right.items])
  }
  return undefined
}

/** Text added to a safe text is escaped. */
function toMarkup(run: Rendering, text: string | Markup): string {
  return typeof text === 'string' ? escapeText(run, text) : text.text
}

function repeat(run: Rendering, left: Value, right: Value): Value | undefined {
  const [value, times] = isRepeatable(left) ? [left, toOperand(right)] : [right, toOperand(left)]
  if (typeof times !== 'number' && typeof times !== 'bigint') return undefined
  const count = Math.max(0, Number(times))
  if (isText(value)) {
    const text = toPlainText(value)
    run.reserve(text.length * count)
    return likeText(value, text === '' ? '' : text.repeat(count))
  }
  if (!isList(value) && !(value instanceof Tuple)) return undefined
  const items = isList(value) ? value : value.items
  run.reserve(items.length * count)
  run.spend(items.length * count)
  const repeated: Value[] = []
  for (let round = 0; round < count && items.length > 0; round++) for (const item of items) repeated.push(item)
  return isList(value) ? repeated : new Tuple(repeated)
}

function isRepeatable(value: Value): boolean {
  return isText(value) || isList(value) || value instanceof Tuple
}

function describeMismatch(operator: ArithmeticOperator, left: Value, right: Value): string {
  if (operator === '+' && (isText(left) || isList(left) || left instanceof Tuple || left instanceof Bytes)) {
    const type = typeName(left)
    return `can only concatenate ${type} (not "${typeName(right)}") to ${type}`
  }
  const name = operator === '**' ? '** or pow()' : operator
  return `unsupported operand type(s) for ${name}: '${typeName(left)}' and '${typeName(right)}'`
}
