// Packages whose published files are not JavaScript alone: C, C++, Python, Go, Rust, Java, Objective-C, Ruby, shell, CSS,
// Solidity. Written down by what they are, before anything of them was fetched.
export const MIXED = `nan node-addon-api bufferutil utf-8-validate sqlite3 better-sqlite3 bcrypt re2 leveldown classic-level snappy
iconv microtime usb node-pty tree-sitter-python tree-sitter-javascript tree-sitter-go tree-sitter-rust tree-sitter-bash tree-sitter-c
tree-sitter-json python-shell bootstrap bulma normalize.css font-awesome purecss foundation-sites @openzeppelin/contracts solmate
ds-test react-native-svg react-native-device-info react-native-fs @react-native-async-storage/async-storage react-native-webview
react-native-screens cordova-android cordova-ios cordova-plugin-device cordova-plugin-camera cordova-plugin-file
cordova-plugin-inappbrowser n node-sass zeromq ref-napi ffi-napi deasync farmhash xxhash node-expat libxmljs bignum epoll i2c-bus
spi-device pigpio @serialport/bindings-cpp heapdump v8-profiler-next segfault-handler argon2 sodium-native lmdb keytar fsevents`;
