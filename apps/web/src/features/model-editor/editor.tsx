import { useBlocker } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/dialog.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { PageHead } from '../../components/ui/page-head.tsx'
import { Segmented } from '../../components/ui/segmented.tsx'
import { QueryView, Skeleton } from '../../components/ui/states.tsx'
import { Badge } from '../../components/ui/status.tsx'
import { useConnection } from '../../lib/connection.ts'
import type { ModelFile } from './api.ts'
import { dropDraft } from './drafts.ts'
import { FormView } from './form-view.tsx'
import * as styles from './model-editor.module.css'
import { ProblemList } from './problem-list.tsx'
import { SaveDialog } from './save-dialog.tsx'
import type { EditorSearch } from './search.ts'
import { useModelText } from './use-model-text.ts'

const CodeEditor = lazy(async () => ({ default: (await import('./code-editor.tsx')).CodeEditor }))

/** Properties of an editor. */
export interface EditorProps {
  readonly title: string
  /** Names the draft: of the model, or of its start. */
  readonly draftName: string
  /** The file on the server; undefined for a new model. */
  readonly base: ModelFile | undefined
  /** The name of the model on the server; undefined for a new one. */
  readonly savedName: string | undefined
  /** The first text. */
  readonly start: string
  readonly search: EditorSearch
  readonly onSearch: (search: EditorSearch) => void
  /** @param name the model's name in the saved text */
  readonly onSaved: (name: string | undefined, file: ModelFile) => void
  readonly children?: ReactNode
}

/** The offset at which a line begins; the last line for one beyond the end. */
function findLine(text: string, line: number): number {
  const before = text.split('\n').slice(0, line - 1)
  return Math.min(before.join('\n').length + (before.length > 0 ? 1 : 0), text.length)
}

/** A model file as a form and as text. Both show the same document. Saving first shows the changes. */
export function Editor(props: EditorProps) {
  const { title, draftName, base, savedName, search, onSearch, onSaved, children } = props
  const { t } = useTranslation('model-editor')
  const { text, setText, setField, model, problems, marks, complete, catalogue, editor, wasDraft } = useModelText(
    draftName,
    base,
    props.start,
  )
  const isOffline = useConnection().state === 'offline'
  const [isSaving, setSaving] = useState(false)
  const [reveal, setReveal] = useState(() => (search.line === undefined ? undefined : findLine(text, search.line)))
  const view = search.view ?? 'form'
  const isChanged = text !== (base?.text ?? '')
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isChanged && current.pathname !== next.pathname,
    enableBeforeUnload: isChanged,
    withResolver: true,
  })
  const show = (offset: number) => {
    if (view === 'yaml') return editor.current?.reveal(offset)
    setReveal(offset)
    return onSearch({ ...search, view: 'yaml' })
  }
  return (
    <>
      <PageHead title={title}>
        {isChanged && <Badge tone="warn">{t('unsaved')}</Badge>}
        <div className="row push">
          <Segmented
            label={t('view.label')}
            value={view}
            options={[
              ['form', t('view.form')],
              ['yaml', t('view.yaml')],
            ]}
            onChange={(next) => onSearch({ ...search, view: next })}
          />
          <Button kind="primary" disabled={!isChanged || isOffline} onClick={() => setSaving(true)}>
            {t('common:save')}
          </Button>
        </div>
      </PageHead>
      <div className={`page ${styles.editor}`}>
        {children}
        {wasDraft && isChanged && (
          <Notice
            actions={
              <Button small onClick={() => setText(base?.text ?? props.start)}>
                {t('dropDraft')}
              </Button>
            }
          >
            {t('draftKept')}
          </Notice>
        )}
        {view === 'yaml' ? (
          <Suspense fallback={<Skeleton lines={12} height={20} />}>
            <CodeEditor
              text={text}
              label={t('yamlOf', { title })}
              marks={marks}
              handle={(handle) => {
                editor.current = handle
                if (handle !== null && reveal !== undefined) {
                  handle.reveal(reveal)
                  setReveal(undefined)
                }
              }}
              onChange={setText}
              complete={complete}
            />
            <p className="meta">{t('yamlKeys')}</p>
          </Suspense>
        ) : (
          <QueryView query={catalogue} lines={8} height={56}>
            {(fields) => (
              <FormView
                {...{ model, problems, savedName }}
                catalogue={fields}
                section={search.section}
                onSection={(section) => onSearch({ ...search, section })}
                onChange={setField}
              />
            )}
          </QueryView>
        )}
        <ProblemList problems={problems} onReveal={({ from }) => show(from)} />
      </div>
      {isSaving && (
        <SaveDialog
          {...{ base, savedName, text, problems }}
          onText={setText}
          onClose={() => setSaving(false)}
          onSaved={(name, file) => {
            dropDraft(draftName)
            setSaving(false)
            onSaved(name, file)
          }}
        />
      )}
      {blocker.status === 'blocked' && (
        <ConfirmDialog
          title={t('leaveTitle')}
          action={t('leave')}
          onConfirm={() => {
            dropDraft(draftName)
            blocker.proceed()
          }}
          onClose={blocker.reset}
        >
          <p>{t('leaveAbout')}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
