import { useQuery } from '@tanstack/react-query'
import { type ComponentProps, useId, useState } from 'react'
import { voicesQuery } from '../../lib/media/voices.ts'
import { TextField } from '../ui/field.tsx'

/**
 * The name of a voice, with those of the model as proposals. They are asked for once the field is entered, because the
 * question loads the model. A model that lists none takes any name.
 */
export function VoiceField({
  model,
  ...rest
}: ComponentProps<typeof TextField> & { readonly model: string | undefined }) {
  const list = useId()
  const [isEntered, setEntered] = useState(false)
  const { data = [] } = useQuery({ ...voicesQuery(model ?? ''), enabled: isEntered && !!model })
  return (
    <>
      <TextField {...rest} autoComplete="off" spellCheck={false} list={list} onFocus={() => setEntered(true)} />
      <datalist id={list}>
        {data.map((voice) => (
          <option key={voice} value={voice} />
        ))}
      </datalist>
    </>
  )
}
