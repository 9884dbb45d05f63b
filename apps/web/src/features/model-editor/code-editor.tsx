import { useEffect, useRef } from 'react'
import { type CodeEditorHandle, type CodeEditorOptions, createCodeEditor, type Mark } from './code-mirror.ts'
import * as styles from './model-editor.module.css'

/** The text of a model file, with marks at its faults. @param handle gets the editor once it is there, and null after it */
export function CodeEditor({
  text,
  label,
  marks,
  handle,
  onChange,
  complete,
}: CodeEditorOptions & {
  readonly marks: readonly Mark[]
  readonly handle: (editor: CodeEditorHandle | null) => void
}) {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<CodeEditorHandle>(null)
  const latest = useRef({ text, handle, onChange, complete })
  latest.current = { text, handle, onChange, complete }
  useEffect(() => {
    if (host.current === null) return undefined
    const created = createCodeEditor(host.current, {
      label,
      text: latest.current.text,
      onChange: (next) => latest.current.onChange(next),
      complete: (all, offset) => latest.current.complete(all, offset),
    })
    editor.current = created
    latest.current.handle(created)
    return () => {
      editor.current = null
      latest.current.handle(null)
      created.destroy()
    }
  }, [label])
  useEffect(() => editor.current?.setText(text), [text])
  useEffect(() => editor.current?.setMarks(marks), [marks])
  return <div className={styles.codeEditor} ref={host} />
}
