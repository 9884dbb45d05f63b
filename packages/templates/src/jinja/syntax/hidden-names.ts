import type { Expression, IfNode, Statement } from './ast.ts'
import { listNames, listParts, statementParts } from './walk.ts'

/** Bodies by identity, with the names they hide. */
export type HiddenNames = ReadonlyMap<readonly Statement[], ReadonlySet<string>>

/**
 * Finds the names that each body hides. The reference turns the variables of a body into variables of a function. A
 * name that the body sets unconditionally, and never reads before, is therefore undefined from the body's beginning:
 * earlier tags and macros inside it do not see the same name further out.
 */
export function findHiddenNames(body: readonly Statement[]): HiddenNames {
  const hidden = new Map<readonly Statement[], ReadonlySet<string>>()
  analyze(body, new Frame(), hidden)
  return hidden
}

/** The names of a body, or of a branch of a condition in it, and the names of the bodies around. */
class Frame {
  /** Names read or set here, without names that only inner bodies use. */
  readonly names = new Set<string>()
  readonly hidden = new Set<string>()
  readonly #parent: Frame | undefined

  constructor(parent?: Frame) {
    this.#parent = parent
  }

  read(name: string): void {
    if (!this.isKnown(name)) this.names.add(name)
  }

  set(name: string): void {
    if (!this.isKnown(name)) this.hidden.add(name)
    this.names.add(name)
  }

  /** Whether a name is one of this frame or of the frames around. */
  isKnown(name: string): boolean {
    return this.names.has(name) || (this.#parent?.isKnown(name) ?? false)
  }
}

function analyze(
  body: readonly Statement[],
  frame: Frame,
  found: Map<readonly Statement[], ReadonlySet<string>>,
): void {
  for (const statement of body) visit(statement, frame)
  if (frame.hidden.size > 0) found.set(body, frame.hidden)
  for (const statement of body) analyzeInside(statement, frame, found)
}

/** Records the names that a tag reads and sets in its own frame, in the order of the reference. */
function visit(node: Statement, frame: Frame): void {
  switch (node.kind) {
    case 'print':
      read(node.value, frame)
      return
    case 'for':
      read(node.items, frame)
      return
    case 'if':
      visitBranches(node, frame)
      return
    case 'set':
      read(node.value, frame)
      assign(node, frame)
      return
    case 'set-block':
      assign(node, frame)
      return
    case 'macro':
      frame.set(node.name)
      return
    case 'call-block':
      read(node.call, frame)
      return
    case 'filter-block':
      read(node.filter, frame)
      return
    case 'with':
      for (const { value } of node.bindings) read(value, frame)
      return
    default:
  }
}

/** An assignment in a branch hides nothing, because the branch may not run. */
function visitBranches({ branches, otherwise }: IfNode, frame: Frame): void {
  const [first, ...rest] = branches
  if (first === undefined) return
  read(first.test, frame)
  const inFirst = visitBranch(first.body, frame)
  const inRest = new Frame(frame)
  for (const { test, body } of rest) {
    read(test, inRest)
    addNames(inRest, visitBranch(body, inRest))
  }
  const inLast = visitBranch(otherwise, frame)
  for (const branch of [inFirst, inRest, inLast]) addNames(frame, branch)
}

function visitBranch(body: readonly Statement[], frame: Frame): Frame {
  const branch = new Frame(frame)
  for (const statement of body) visit(statement, branch)
  return branch
}

function addNames(frame: Frame, branch: Frame): void {
  for (const name of branch.names) frame.names.add(name)
}

function read(node: Expression, frame: Frame): void {
  if (node.kind === 'name') frame.read(node.name)
  for (const part of listParts(node)) read(part, frame)
}

function assign(node: Statement, frame: Frame): void {
  for (const target of statementParts(node).targets) {
    if (target.kind === 'member') frame.read(target.object)
    for (const name of listNames(target)) frame.set(name)
  }
}

/** Continues with the bodies inside a tag, which are frames of their own, except for the bodies of conditions. */
function analyzeInside(node: Statement, frame: Frame, found: Map<readonly Statement[], ReadonlySet<string>>): void {
  const { targets, bodies } = statementParts(node)
  if (node.kind === 'if') {
    for (const statement of bodies.flat()) analyzeInside(statement, frame, found)
    return
  }
  for (const body of bodies) {
    // Blocks see only the variables of the template; a tag with parameters or targets of its own knows them.
    const inner = new Frame(node.kind === 'block' ? undefined : frame)
    if (node.kind === 'for') inner.names.add('loop')
    if (node.kind === 'for' || node.kind === 'with')
      for (const name of targets.flatMap(listNames)) inner.names.add(name)
    if (node.kind === 'macro' || node.kind === 'call-block') {
      for (const { name, fallback } of node.parameters) {
        inner.names.add(name)
        if (fallback !== undefined) read(fallback, inner)
      }
    }
    analyze(body, inner, found)
  }
}
