# SPDX-License-Identifier: BSD-2-Clause
# What rustc 1.95 emits with -O -C debuginfo=1, reduced to what names and lines come from: symbols of both manglings and
# one without; generic functions, methods and closures in nested namespaces and in types; code that is inlined several
# levels deep, and in pieces. Of this source:
#
#   enum Shape { ... }
#   impl Shape { fn area(&self) -> f64 { ... } }
#   fn largest<I: Iterator<Item = &Shape>>(shapes: I) -> f64 { shapes.map(|shape| shape.area()).fold(0.0, f64::max) }
#   #[no_mangle] pub extern "C" fn rust_main(shapes: &[Shape; 16]) -> f64 { largest(shapes.iter()) }
	.file	1 "." "rust.rs"
	.file	2 "/rustc/59807616" "library/core/src/iter/adapters/map.rs"
	.file	3 "/rustc/59807616" "library/core/src/num/f64.rs"
	.file	4 "/rustc/59807616" "library/core/src/slice/mod.rs"

# --- code --------------------------------------------------------------------------------------------------------------
	.macro	function label, symbol
	.type	\symbol, @function
	.size	\symbol, .L\label\()_end - .L\label
\symbol:
.L\label:
	.endm

	.text
	function largest, _RINvCs1234_4rust7largestINtNtCs5678_4core5slice4IterNtB2_5ShapeEEB2_
	.loc	1 18 2
	pushq	%rbx
.Lfold:
	.loc	2 128 19
	movl	%esi, %eax
.Lclosure:
	.loc	1 19 40
	incl	%eax
.Larea:
	.loc	1 10 9
	mulsd	%xmm0, %xmm3
	.loc	1 11 13
	mulsd	%xmm1, %xmm3
.Larea_end:
	.loc	1 19 60
	decl	%eax
.Lclosure_end:
.Lmax:
	.loc	3 1010 9
	maxsd	%xmm2, %xmm3
.Lmax_end:
.Lfold_end:
	.loc	1 19 5
	incl	%ecx
.Lfold_again:
	.loc	2 129 2
	decl	%ecx
.Larea_again:
	.loc	1 12 13
	addsd	%xmm1, %xmm3
.Lfold_again_end:
	.loc	1 20 2
	popq	%rbx
	retq
.Llargest_end:

	function older, _ZN4rust5older17h0123456789abcdefE
	.loc	1 23 2
	incl	%eax
	retq
.Lolder_end:

	.globl	rust_main
	function main, rust_main
	.loc	1 27 2
	incl	%eax
.Liter:
	.loc	4 1041 9
	decl	%eax
.Liter_end:
	.loc	1 27 20
	retq
.Lmain_end:

# --- .debug_abbrev -----------------------------------------------------------------------------------------------------
	.set	ADDR, 0x01
	.set	DATA1, 0x0b
	.set	DATA2, 0x05
	.set	DATA4, 0x06
	.set	STRING, 0x08
	.set	REF4, 0x13
	.set	SEC_OFFSET, 0x17
	.macro	abbreviation number, tag, has_children, attributes:vararg
	.uleb128 \number, \tag, \has_children, \attributes, 0, 0
	.endm

	.section .debug_abbrev,"",@progbits
	# compile_unit: language, name, stmt_list, comp_dir, low_pc, high_pc
	abbreviation 1, 0x11, 1, 0x13, DATA2, 0x03, STRING, 0x10, SEC_OFFSET, 0x1b, STRING, 0x11, ADDR, 0x12, DATA4
	# namespace, structure_type, enumeration_type: name
	abbreviation 2, 0x39, 1, 0x03, STRING
	abbreviation 3, 0x13, 1, 0x03, STRING
	abbreviation 4, 0x04, 1, 0x03, STRING
	# subprogram that is inlined: linkage_name, name, inline
	abbreviation 5, 0x2e, 0, 0x6e, STRING, 0x03, STRING, 0x20, DATA1
	# subprogram, with and without linkage_name: name, low_pc, high_pc
	abbreviation 6, 0x2e, 1, 0x6e, STRING, 0x03, STRING, 0x11, ADDR, 0x12, DATA4
	abbreviation 7, 0x2e, 1, 0x03, STRING, 0x11, ADDR, 0x12, DATA4
	# inlined_subroutine, in pieces and in one: abstract_origin, call_file, call_line, ranges or low_pc, high_pc
	abbreviation 8, 0x1d, 1, 0x31, REF4, 0x58, DATA1, 0x59, DATA1, 0x55, SEC_OFFSET
	abbreviation 9, 0x1d, 1, 0x31, REF4, 0x58, DATA1, 0x59, DATA1, 0x11, ADDR, 0x12, DATA4
	.byte	0

# --- .debug_info: an entry is what is inside until its end -------------------------------------------------------------
	.set	NAMESPACE, 2
	.set	STRUCTURE, 3
	.set	ENUMERATION, 4
	.macro	scope kind, name
	.byte	\kind
	.asciz	"\name"
	.endm
	.macro	inlined_function label, symbol, name
.L\label\()_entry:
	.byte	5
	.asciz	"\symbol"
	.asciz	"\name"
	.byte	1
	.endm
	.macro	range label
	.quad	.L\label
	.long	.L\label\()_end - .L\label
	.endm
	.macro	subprogram label, symbol, name
	.byte	6
	.asciz	"\symbol"
	.asciz	"\name"
	range	\label
	.endm
	.macro	inlined_in_pieces label, file, line
	.byte	8
	.long	.L\label\()_entry - .Lunit
	.byte	\file, \line
	.long	.L\label\()_pieces
	.endm
	.macro	inlined label, file, line
	.byte	9
	.long	.L\label\()_entry - .Lunit
	.byte	\file, \line
	range	\label
	.endm
	.macro	end count=1
	.zero	\count
	.endm

	.section .debug_info,"",@progbits
.Lunit:
	.long	.Lunit_end - .Lunit_start
.Lunit_start:
	.short	4
	.long	.debug_abbrev
	.byte	8
	.byte	1
	.short	28
	.asciz	"rust.rs/@/rust.cebe997107dec46e-cgu.0"
	.long	.Llines
	.asciz	"."
	.quad	.Llargest
	.long	.Lmain_end - .Llargest
	scope	NAMESPACE, core
	scope	NAMESPACE, iter
	scope	STRUCTURE, Map
	inlined_function fold, _RINvMNtCs5678_4core4iterNtNtCs5678_4core4iter3Map4folddE, "fold<f64>"
	end	2
	scope	NAMESPACE, f64
	scope	NAMESPACE, "{impl#0}"
	inlined_function max, _RNvMNtCs5678_4core3f64d3max, max
	end	2
	scope	NAMESPACE, slice
	inlined_function iter, _RNvMNtCs5678_4core5sliceSNtCs1234_4rust5Shape4iter, "iter<rust::Shape>"
	end	2
	scope	NAMESPACE, rust
	scope	ENUMERATION, Shape
	inlined_function area, _RNvMCs1234_4rustNtB2_5Shape4area, area
	end
	scope	NAMESPACE, largest
	inlined_function closure, _RNCNvCs1234_4rust7largest0B3_, "{closure#0}"
	end
	subprogram largest, _RINvCs1234_4rust7largestINtNtCs5678_4core5slice4IterNtB2_5ShapeEEB2_, "largest<Iter<Shape>>"
	inlined_in_pieces fold, 1, 19
	inlined_in_pieces closure, 2, 88
	inlined_in_pieces area, 1, 19
	end	2
	inlined	max, 2, 88
	end	3
	subprogram older, _ZN4rust5older17h0123456789abcdefE, older
	end
	.byte	7
	.asciz	"rust_main"
	range	main
	inlined	iter, 1, 27
	end	4
.Lunit_end:

# --- .debug_ranges -----------------------------------------------------------------------------------------------------
	.macro	pieces label, first, first_end, second
.L\label\()_pieces:
	.quad	.L\first - .Llargest, .L\first_end - .Llargest
	.quad	.L\second - .Llargest, .Lfold_again_end - .Llargest
	.quad	0, 0
	.endm

	.section .debug_ranges,"",@progbits
	pieces	fold, fold, fold_end, fold_again
	pieces	closure, closure, closure_end, area_again
	pieces	area, area, area_end, area_again

	.section .debug_line,"",@progbits
.Llines:
