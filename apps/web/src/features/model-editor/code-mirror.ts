import { autocompletion, type CompletionResult, closeBrackets, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint'
import { MergeView, unifiedMergeView } from '@codemirror/merge'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import * as syntaxStyles from '../../components/ui/syntax.module.css'
import { toRem } from '../../lib/text-size.ts'
import type { Completions } from './complete.ts'

/** A fault as the editor marks it. */
export interface Mark {
  readonly from: number
  readonly to: number
  readonly severity: 'error' | 'warning'
  readonly message: string
}

/** An editor of YAML in a page. */
export interface CodeEditorHandle {
  setText(text: string): void
  setMarks(marks: readonly Mark[]): void
  /** Puts the cursor at an offset and shows it. */
  reveal(offset: number): void
  destroy(): void
}

/** Options of an editor. */
export interface CodeEditorOptions {
  readonly text: string
  /** Names the field for screen readers. */
  readonly label: string
  readonly onChange: (text: string) => void
  readonly complete: (text: string, offset: number) => Promise<Completions | undefined>
}

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], class: `${syntaxStyles.name}` },
  { tag: [tags.string, tags.content], class: `${syntaxStyles.string}` },
  { tag: [tags.number, tags.bool, tags.null], class: `${syntaxStyles.number}` },
  { tag: [tags.keyword, tags.typeName, tags.labelName], class: `${syntaxStyles.literal}` },
  { tag: tags.comment, class: `${syntaxStyles.comment}` },
])

const theme = EditorView.theme({
  '&': { backgroundColor: 'var(--bg)', color: 'var(--text)', fontSize: toRem(13) },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: toRem(20) },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-content:focus-visible': { outline: 'none' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--text-3)', border: '0' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': { backgroundColor: 'var(--accent-tint) !important' },
  '.cm-tooltip': { backgroundColor: 'var(--surface)', color: 'var(--text)', border: '1px solid var(--line)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--press)', color: 'var(--text)' },
  '.cm-changedLine': { backgroundColor: 'var(--success-tint) !important' },
  '.cm-deletedChunk': { backgroundColor: 'var(--danger-tint) !important' },
})

const shared: Extension = [lineNumbers(), yaml(), syntaxHighlighting(colours), theme]
const readOnly: Extension = [EditorState.readOnly.of(true), EditorView.editable.of(false)]

function labelled(label: string): Extension {
  return EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' })
}

/** Makes an editor in an element. Tab leaves it, F8 goes to the next fault, Ctrl+Space completes. */
export function createCodeEditor(parent: HTMLElement, options: CodeEditorOptions): CodeEditorHandle {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        shared,
        history(),
        highlightActiveLine(),
        indentOnInput(),
        closeBrackets(),
        lintGutter(),
        autocompletion({
          override: [
            async ({ state, pos }): Promise<CompletionResult | null> => {
              const found = await options.complete(state.doc.toString(), pos)
              return found === undefined
                ? null
                : { from: found.from, options: [...found.options], validFor: /^[\w.-]*$/ }
            },
          ],
        }),
        keymap.of([...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap]),
        labelled(options.label),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) options.onChange(state.doc.toString())
        }),
      ],
    }),
  })
  return {
    setText(text) {
      if (view.state.doc.toString() === text) return
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })
    },
    setMarks(marks) {
      const { length } = view.state.doc
      const diagnostics = marks
        .filter(({ from }) => from <= length)
        .map(({ from, to, ...mark }) => ({ ...mark, from, to: Math.min(Math.max(from, to), length) }))
      view.dispatch(setDiagnostics(view.state, diagnostics))
    },
    reveal(offset) {
      const at = Math.min(offset, view.state.doc.length)
      view.dispatch({ selection: { anchor: at }, scrollIntoView: true })
      view.focus()
    },
    destroy: () => view.destroy(),
  }
}

/** Shows the changes from one text to another, line by line. @returns a function that removes it */
export function showChanges(
  parent: HTMLElement,
  texts: { readonly before: string; readonly after: string; readonly label: string },
): () => void {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: texts.after,
      extensions: [
        shared,
        readOnly,
        labelled(texts.label),
        unifiedMergeView({
          original: texts.before,
          mergeControls: false,
          collapseUnchanged: { margin: 3, minSize: 6 },
        }),
      ],
    }),
  })
  return () => view.destroy()
}

/** Two versions side by side, of which the right one is edited; arrows take parts of the left one. */
export interface MergeHandle {
  readText(): string
  destroy(): void
}

/** Shows another version beside one's own. */
export function showMerge(
  parent: HTMLElement,
  texts: {
    readonly theirs: string
    readonly mine: string
    readonly labels: { readonly theirs: string; readonly mine: string }
  },
): MergeHandle {
  const view = new MergeView({
    parent,
    a: { doc: texts.theirs, extensions: [shared, readOnly, labelled(texts.labels.theirs)] },
    b: {
      doc: texts.mine,
      extensions: [shared, history(), keymap.of([...historyKeymap, ...defaultKeymap]), labelled(texts.labels.mine)],
    },
    revertControls: 'a-to-b',
    collapseUnchanged: { margin: 3, minSize: 6 },
  })
  return { readText: () => view.b.state.doc.toString(), destroy: () => view.destroy() }
}
