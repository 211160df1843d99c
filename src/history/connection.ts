export type Params = Readonly<Record<string, number | string | readonly (number | string)[]>>

/** ClickHouse SQL with `{name:Type}` parameters; all that differs between the ways to reach it. */
export interface HistoryConnection {
  /**
   * A SELECT without FORMAT and SETTINGS. Answers one JSON object per line (JSONEachRow) with
   * 64-bit integers as plain numbers. An abort rejects with the signal's reason, a result of more
   * than `maxBytes` with `PageTooLarge`.
   */
  query(sql: string, params: Params, signal?: AbortSignal, maxBytes?: number): Promise<string>
  /** A statement that answers nothing: CREATE, DELETE. */
  execute(sql: string, params?: Params): Promise<void>
  /** TSV in the order of the table's columns. Resolves when stored; the same token twice is once. */
  insert(table: string, rows: Buffer, token: string): Promise<void>
  /** Rejects when the engine does not answer within seconds. */
  check(): Promise<void>
  close(): Promise<void>
}

/** Of every query: an answer that can be handed on as it is, and an end to what nobody waits for. */
export const readSettings = {
  output_format_json_quote_64bit_integers: 0,
  output_format_json_escape_forward_slashes: 0,
  // Rows that replace each other have one timestamp, so one partition.
  do_not_merge_across_partitions_select_final: 1,
  // Compiling a query to machine code pays for scans of billions of rows, not for pages.
  compile_expressions: 0,
  compile_aggregate_expressions: 0,
  compile_sort_description: 0,
  max_execution_time: 60
} as const

export const insertSettings = (token: string) =>
  ({
    insert_deduplication_token: token,
    // An asynchronous insert would answer before the rows are on disk.
    async_insert: 0,
    // One batch may carry timestamps of any number of months.
    max_partitions_per_insert_block: '0'
  }) as const
