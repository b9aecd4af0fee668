import type { InputHTMLAttributes } from 'react'

type FieldProps = InputHTMLAttributes<HTMLInputElement> & { label: string; onText: (text: string) => void }

export const Field = ({ label, onText, ...rest }: FieldProps) => (
  <label>
    {label}
    <input autoComplete="off" {...rest} onChange={({ target }) => onText(target.value)} />
  </label>
)
