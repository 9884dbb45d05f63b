import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useDebounced } from '../../lib/use-debounced.ts'
import { completionsQuery, knownModelsQuery, type ModelFile, schemaQuery } from './api.ts'
import type { CodeEditorHandle, Mark } from './code-mirror.ts'
import { type Completions, completeAt } from './complete.ts'
import { dropDraft, keepDraft, readDraft } from './drafts.ts'
import { type ConfigField, catalogueQuery } from './field-catalogue.ts'
import { lintModel } from './lint.ts'
import { parseModelText, splitPath, writeValue } from './model-text.ts'

/** The text of a model file while it is edited: parsed, checked, and kept as a draft. */
export function useModelText(name: string, base: ModelFile | undefined, start: string) {
  const { t } = useTranslation('model-editor')
  const client = useQueryClient()
  const [draft] = useState(() => readDraft(name))
  const [text, setStateText] = useState(draft?.text ?? start)
  const editor = useRef<CodeEditorHandle>(null)
  const catalogue = useQuery(catalogueQuery)
  const schema = useQuery(schemaQuery).data
  const known = useQuery(knownModelsQuery).data
  const model = useMemo(() => parseModelText(text), [text])
  const checked = useDebounced(model)
  const problems = useMemo(() => lintModel(checked, { schema, known }), [checked, schema, known])
  const marks = useMemo(
    () =>
      problems.map(({ from, to, severity, code, values }): Mark => {
        return { from, to, severity, message: t(`problem.${code}`, { ...values }) }
      }),
    [problems, t],
  )
  const setText = useCallback(
    (next: string) => {
      setStateText(next)
      if (next === (base?.text ?? '')) dropDraft(name)
      else keepDraft(name, { text: next, base })
    },
    [name, base],
  )
  const setField = (field: ConfigField, value: unknown) => setText(writeValue(text, splitPath(field.path), value))
  const complete = useCallback(
    async (all: string, offset: number): Promise<Completions | undefined> =>
      completeAt(all, offset, {
        fields: (await client.ensureQueryData(catalogueQuery)).fields,
        listNames: (provider) => client.ensureQueryData(completionsQuery(provider)),
        listModels: () => client.ensureQueryData(completionsQuery('models')),
      }),
    [client],
  )
  return { text, setText, setField, model, problems, marks, complete, catalogue, editor, wasDraft: draft !== undefined }
}
