/**
 * Methods and fields that values of Go and Rust have without anybody here giving them: those of the standard libraries that programs use
 * every day. By name alone; a method that is yet to be written and is called like one of them is not missed.
 */
import type { Language } from "../../facts/paths/languages.ts";

const GO = [
  // testing
  "Chdir Cleanup Context Error Errorf Fail FailNow Failed Fatal Fatalf Helper Log Logf Loop Name Parallel ReportAllocs ReportMetric ResetTimer Run RunParallel SetBytes Setenv Skip SkipNow Skipf Skipped StartTimer StopTimer TempDir N",
  // sync, atomic, context
  "Add Broadcast CompareAndSwap Deadline Delete Do Done Err Get Load LoadAndDelete LoadOrStore Lock Pool Put RLock RUnlock Range Signal Store Swap TryLock Unlock Value Wait Go",
  // strings, bytes, io, bufio, os
  "Buffered Bytes Cap Chmod Close Copy Discard Fd Flush Grow IsDir IsRegular Len ModTime Mode Name Next Peek Perm Read ReadAt ReadBytes ReadByte ReadDir ReadFrom ReadLine ReadRune ReadString Readdir Readdirnames Replace Reset Scan Seek Size Split Stat String Sync Sys Text Truncate UnreadByte UnreadRune Write WriteAt WriteByte WriteRune WriteString WriteTo",
  // time
  "AddDate After AfterFunc Before Clock Compare Date Day Equal Format Hour Hours In IsZero Local Location Microseconds Milliseconds Minute Minutes Month Nanosecond Nanoseconds Round Second Seconds Since Stop Sub UTC Unix UnixMicro UnixMilli UnixNano Weekday Year YearDay Zone C",
  // errors, fmt, sort, reflect
  "As Is Unwrap GoString Less Swap Append Bool Call CanAddr CanInterface CanSet Convert Elem Field FieldByName Float Implements Index Int Interface IsNil IsValid Key Kind MapIndex MapKeys Method MethodByName NumField NumIn NumMethod NumOut Out PkgPath Set SetBool SetInt SetLen SetString Tag Type Uint",
  // encoding, regexp, url, net, http, template, flag, log, exec
  "Decode DisallowUnknownFields Encode EncodeToString MarshalJSON MarshalText SetIndent Token UnmarshalJSON UnmarshalText UseNumber Expand FindAllString FindAllStringSubmatch FindString FindStringIndex FindStringSubmatch Longest Match MatchString NumSubexp ReplaceAll ReplaceAllString ReplaceAllStringFunc SubexpIndex SubexpNames EscapedPath Hostname IsAbs JoinPath Parse Port Query RequestURI ResolveReference Accept Addr Dial Listen LocalAddr RemoteAddr SetDeadline SetReadDeadline SetWriteDeadline AddCookie BasicAuth Body Clone ContentLength Cookie Cookies FormFile FormValue Handle HandleFunc Handler Header Host Method ParseForm ParseMultipartForm PathValue PostForm PostFormValue Proto Referer Request RoundTrip ServeHTTP SetBasicAuth Shutdown Status StatusCode URL UserAgent Values WithContext WriteHeader Execute ExecuteTemplate Funcs Lookup New Option ParseFS ParseFiles Templates Arg Args NArg NFlag Parsed PrintDefaults SetOutput Usage Var Visit VisitAll Fatalln Output Panic Panicf Panicln Prefix Print Printf Println SetFlags SetPrefix Writer CombinedOutput ExitCode Process Start StderrPipe StdinPipe StdoutPipe",
  // database/sql, slog
  "Begin BeginTx Columns Commit Exec ExecContext LastInsertId Ping PingContext Prepare PrepareContext QueryContext QueryRow QueryRowContext Rollback RowsAffected SetMaxOpenConns Debug DebugContext Enabled ErrorContext Info InfoContext Warn WarnContext With WithGroup",
].join(" ");

const RUST = [
  // Option, Result
  "and and_then as_deref as_deref_mut as_mut as_ref cloned copied err expect expect_err filter flatten get_or_insert get_or_insert_with insert inspect inspect_err is_err is_err_and is_none is_none_or is_ok is_ok_and is_some is_some_and iter iter_mut map map_err map_or map_or_else ok ok_or ok_or_else or or_else replace take take_if transpose unwrap unwrap_err unwrap_or unwrap_or_default unwrap_or_else xor zip",
  // iterators
  "all any by_ref chain collect count cycle enumerate eq filter_map find find_map flat_map fold for_each fuse into_iter is_sorted last lt max max_by max_by_key min min_by min_by_key ne next next_back nth partition peek peekable position product reduce rev rposition scan size_hint skip skip_while step_by sum take_while try_fold try_for_each unzip",
  // Vec, slices, collections
  "append as_mut_slice as_slice binary_search binary_search_by binary_search_by_key capacity chunks chunks_exact clear concat contains contains_key copy_from_slice dedup dedup_by_key difference drain ends_with entry extend extend_from_slice fill first first_mut get get_mut get_or_default intersection into_boxed_slice into_keys into_values is_disjoint is_empty is_subset join keys last_mut len or_default or_insert or_insert_with pop pop_back pop_front push push_back push_front range remove remove_entry repeat reserve resize retain retain_mut reverse rotate_left rotate_right rsplit shrink_to_fit sort sort_by sort_by_key sort_unstable sort_unstable_by sort_unstable_by_key splice split split_at split_first split_last split_off starts_with swap swap_remove symmetric_difference to_vec truncate union values values_mut windows with_capacity",
  // strings, chars
  "as_bytes as_str as_string bytes char_indices chars encode_utf8 eq_ignore_ascii_case escape_debug find_str into_bytes into_owned into_string is_alphabetic is_alphanumeric is_ascii is_ascii_alphabetic is_ascii_alphanumeric is_ascii_digit is_ascii_hexdigit is_ascii_lowercase is_ascii_punctuation is_ascii_uppercase is_ascii_whitespace is_char_boundary is_control is_digit is_lowercase is_numeric is_uppercase is_whitespace len_utf8 lines make_ascii_lowercase make_ascii_uppercase match_indices matches parse push_str replacen rfind rmatches rsplit_once rsplitn split_ascii_whitespace split_inclusive split_once split_terminator split_whitespace splitn strip_prefix strip_suffix to_ascii_lowercase to_ascii_uppercase to_digit to_lowercase to_owned to_string to_uppercase trim trim_end trim_end_matches trim_matches trim_start trim_start_matches",
  // numbers, comparing, converting
  "abs abs_diff ceil checked_add checked_div checked_mul checked_rem checked_sub clamp cmp count_ones count_zeros div_ceil floor from_str_radix ge gt ilog10 ilog2 into is_eq is_finite is_ge is_gt is_infinite is_le is_lt is_nan is_ne is_negative is_positive is_power_of_two le leading_zeros mul_add next_power_of_two overflowing_add overflowing_sub partial_cmp pow powf powi rem_euclid rotate_left round rotate_right saturating_add saturating_mul saturating_sub signum sqrt swap_bytes then then_some then_with to_be_bytes to_bits to_le_bytes to_ne_bytes total_cmp trailing_zeros trunc try_from try_into wrapping_add wrapping_mul wrapping_sub",
  // pointers, cells, threads
  "as_any as_ptr borrow borrow_mut clone clone_from compare_exchange deref deref_mut downcast downcast_mut downcast_ref downgrade drop fetch_add fetch_sub finish fmt get_mut hash into_inner is_finished is_poisoned load lock make_mut notify_all notify_one park read recv recv_timeout send set spawn store strong_count try_borrow try_borrow_mut try_lock try_recv try_send unpark update upgrade wait wait_timeout with write",
  // io, paths, processes, time, formatting
  "accept alternate ancestors args as_os_str as_path as_raw_fd as_secs as_millis as_nanos as_micros as_secs_f64 bind by_ref checked_duration_since code components connect consume create current_dir debug_list debug_map debug_struct debug_tuple display duration_since elapsed env env_clear exists exit_ok extension field fields file_name file_stem file_type fill_buf finish_non_exhaustive flush has_root height id into_os_string into_path_buf is_absolute is_char_device is_dir is_file is_interactive is_relative is_symlink is_terminal kill kind local_addr metadata modified mode open output pad parent path path_buf peer_addr permissions precision raw_os_error read_dir read_exact read_line read_link read_to_end read_to_string read_until seek set_extension set_file_name set_len set_nonblocking set_permissions shutdown source stderr stdin stdout status subsec_nanos success symlink_metadata sync_all sync_data take to_path_buf to_str to_string_lossy truncate try_clone try_exists try_wait wait_with_output width with_extension with_file_name write_all write_char write_fmt write_str write_vectored",
  // macros
  "addr_of! addr_of_mut! asm! assert! assert_eq! assert_ne! cfg! column! compile_error! concat! dbg! debug_assert! debug_assert_eq! debug_assert_ne! env! eprint! eprintln! file! format! format_args! global_asm! include! include_bytes! include_str! is_aarch64_feature_detected! is_x86_feature_detected! line! macro_rules! matches! module_path! option_env! panic! pin! print! println! ready! stringify! thread_local! todo! try! unimplemented! unreachable! vec! write! writeln!",
].join(" ");

const KNOWN: Readonly<Partial<Record<Language, ReadonlySet<string>>>> = {
  go: new Set(GO.split(" ")),
  rust: new Set(RUST.split(" ")),
};

export const isStandardMember = (language: Language, name: string): boolean =>
  KNOWN[language]?.has(name) === true;
