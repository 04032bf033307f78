	.file	"rust.cebe997107dec46e-cgu.0"
	.section	.text._RINvCshKuLGoDTFBq_4rust7longestINtNtNtCsgEmfK2I1SDS_4core5slice4iter5SplithNCNvB2_9rust_mains_0EEB2_,"ax",@progbits
	.p2align	4
	.type	_RINvCshKuLGoDTFBq_4rust7longestINtNtNtCsgEmfK2I1SDS_4core5slice4iter5SplithNCNvB2_9rust_mains_0EEB2_,@function
_RINvCshKuLGoDTFBq_4rust7longestINtNtNtCsgEmfK2I1SDS_4core5slice4iter5SplithNCNvB2_9rust_mains_0EEB2_:
.Lfunc_begin0:
	.cfi_startproc
	.file	1 "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860" "library/core/src/slice/iter.rs"
	.loc	1 463 12 prologue_end
	testb	$1, 16(%rdi)
	jne	.LBB0_1
.Ltmp0:
	.file	2 "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860" "library/core/src/iter/adapters/map.rs"
	.loc	2 69 9
	movq	8(%rdi), %rcx
.Ltmp1:
	.file	3 "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860" "library/core/src/ptr/non_null.rs"
	.loc	3 1720 9
	testq	%rcx, %rcx
.Ltmp2:
	.file	4 "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860" "library/core/src/slice/iter/macros.rs"
	.loc	4 180 28
	je	.LBB0_1
.Ltmp3:
	.loc	2 69 9
	movq	(%rdi), %rdx
.Ltmp4:
	.file	5 "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860" "library/core/src/ptr/mut_ptr.rs"
	.loc	5 961 18
	leaq	(%rdx,%rcx), %rsi
	xorl	%eax, %eax
.Ltmp5:
.LBB0_4:
	.loc	5 0 18 is_stmt 0
	xorl	%edi, %edi
	.p2align	4
.LBB0_5:
.Ltmp6:
	.file	6 "." "rust.rs"
	.loc	6 49 67 is_stmt 1
	cmpb	$32, (%rdx,%rdi)
.Ltmp7:
	.loc	4 384 24
	je	.LBB0_7
.Ltmp8:
	.loc	3 1720 9
	leaq	(%rdx,%rdi), %r8
	incq	%r8
.Ltmp9:
	.loc	4 390 21
	incq	%rdi
.Ltmp10:
	.loc	3 1720 9
	cmpq	%rsi, %r8
.Ltmp11:
	.loc	4 180 28
	jne	.LBB0_5
	jmp	.LBB0_8
.Ltmp12:
	.loc	4 0 28 is_stmt 0
.Ltmp13:
	.p2align	4
.LBB0_7:
	.file	7 "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860" "library/core/src/slice/index.rs"
	.loc	7 89 24 is_stmt 1
	leaq	-1(%rcx), %r8
.Ltmp14:
	.file	8 "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860" "library/core/src/cmp.rs"
	.loc	8 1038 5
	cmpq	%rax, %rdi
	cmovaq	%rdi, %rax
.Ltmp15:
	.loc	5 961 18
	addq	%rdx, %rcx
.Ltmp16:
	.loc	8 1038 5
	addq	%rdi, %rdx
	incq	%rdx
.Ltmp17:
	.loc	3 1720 9
	subq	%rdi, %r8
	movq	%rcx, %rsi
	movq	%r8, %rcx
.Ltmp18:
	.loc	4 180 28
	jne	.LBB0_4
	jmp	.LBB0_9
.Ltmp19:
.LBB0_1:
	.loc	4 0 28 is_stmt 0
	xorl	%eax, %eax
	.loc	6 40 2 is_stmt 1
	retq
.LBB0_8:
.Ltmp20:
	.loc	8 1038 5
	cmpq	%rax, %rcx
	cmovaq	%rcx, %rax
.Ltmp21:
.LBB0_9:
	.loc	6 40 2
	retq
.Ltmp22:
.Lfunc_end0:
	.size	_RINvCshKuLGoDTFBq_4rust7longestINtNtNtCsgEmfK2I1SDS_4core5slice4iter5SplithNCNvB2_9rust_mains_0EEB2_, .Lfunc_end0-_RINvCshKuLGoDTFBq_4rust7longestINtNtNtCsgEmfK2I1SDS_4core5slice4iter5SplithNCNvB2_9rust_mains_0EEB2_
	.cfi_endproc
	.file	9 "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860" "library/core/src/iter/traits/iterator.rs"
	.file	10 "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860" "library/core/src/slice/mod.rs"
	.file	11 "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860" "library/core/src/ops/function.rs"

	.section	.rodata.cst8,"aM",@progbits,8
	.p2align	3, 0x0
.LCPI1_0:
	.quad	0x8000000000000000
	.section	.text._RINvNtCshKuLGoDTFBq_4rust6shapes3sumINtNtNtNtCsgEmfK2I1SDS_4core4iter8adapters6copied6CopiedINtNtNtBH_5slice4iter4IterRDNtB2_4AreaEL_EEEB4_,"ax",@progbits
	.globl	_RINvNtCshKuLGoDTFBq_4rust6shapes3sumINtNtNtNtCsgEmfK2I1SDS_4core4iter8adapters6copied6CopiedINtNtNtBH_5slice4iter4IterRDNtB2_4AreaEL_EEEB4_
	.p2align	4
	.type	_RINvNtCshKuLGoDTFBq_4rust6shapes3sumINtNtNtNtCsgEmfK2I1SDS_4core4iter8adapters6copied6CopiedINtNtNtBH_5slice4iter4IterRDNtB2_4AreaEL_EEEB4_,@function
_RINvNtCshKuLGoDTFBq_4rust6shapes3sumINtNtNtNtCsgEmfK2I1SDS_4core4iter8adapters6copied6CopiedINtNtNtBH_5slice4iter4IterRDNtB2_4AreaEL_EEEB4_:
.Lfunc_begin1:
	.cfi_startproc
	.loc	3 1720 9 prologue_end
	cmpq	%rsi, %rdi
.Ltmp23:
	.loc	4 25 86
	je	.LBB1_1
.Ltmp24:
	.loc	4 0 86 is_stmt 0
	pushq	%r14
	.cfi_def_cfa_offset 16
	pushq	%rbx
	.cfi_def_cfa_offset 24
	pushq	%rax
	.cfi_def_cfa_offset 32
	.cfi_offset %rbx, -24
	.cfi_offset %r14, -16
	movq	%rsi, %rbx
	movq	%rdi, %r14
.Ltmp25:
	.file	12 "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860" "library/core/src/ptr/const_ptr.rs"
	.loc	12 729 18 is_stmt 1
	subq	%rdi, %rbx
	shrq	$4, %rbx
.Ltmp26:
	.loc	4 28 9
	addq	$8, %r14
	movsd	.LCPI1_0(%rip), %xmm0
.Ltmp27:
	.loc	4 0 9 is_stmt 0
.Ltmp28:
	.p2align	4
.LBB1_4:
	movsd	%xmm0, (%rsp)
.Ltmp29:
	.loc	4 279 27 is_stmt 1
	movq	-8(%r14), %rdi
	movq	(%r14), %rax
.Ltmp30:
	.loc	6 31 34
	callq	*24(%rax)
	movsd	(%rsp), %xmm1
.Ltmp31:
	.file	13 "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860" "library/core/src/iter/traits/accum.rs"
	.loc	13 164 28
	addsd	%xmm0, %xmm1
	movsd	%xmm1, (%rsp)
	movsd	(%rsp), %xmm0
.Ltmp32:
	.loc	4 284 24
	addq	$16, %r14
	decq	%rbx
	jne	.LBB1_4
.Ltmp33:
	.loc	4 0 24 is_stmt 0
	addq	$8, %rsp
	.cfi_def_cfa_offset 24
	popq	%rbx
	.cfi_def_cfa_offset 16
	popq	%r14
	.cfi_def_cfa_offset 8
	.cfi_restore %rbx
	.cfi_restore %r14
	.loc	6 32 6 is_stmt 1
	retq
.LBB1_1:
	.loc	6 0 6 is_stmt 0
	movsd	.LCPI1_0(%rip), %xmm0
	.loc	6 32 6 is_stmt 1
	retq
.Ltmp34:
.Lfunc_end1:
	.size	_RINvNtCshKuLGoDTFBq_4rust6shapes3sumINtNtNtNtCsgEmfK2I1SDS_4core4iter8adapters6copied6CopiedINtNtNtBH_5slice4iter4IterRDNtB2_4AreaEL_EEEB4_, .Lfunc_end1-_RINvNtCshKuLGoDTFBq_4rust6shapes3sumINtNtNtNtCsgEmfK2I1SDS_4core4iter8adapters6copied6CopiedINtNtNtBH_5slice4iter4IterRDNtB2_4AreaEL_EEEB4_
	.cfi_endproc
	.file	14 "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860" "library/core/src/iter/adapters/copied.rs"

	.section	.text._RNvXNtCshKuLGoDTFBq_4rust6shapesINtB2_6SquarefENtB2_4Area4areaB4_,"ax",@progbits
	.p2align	4
	.type	_RNvXNtCshKuLGoDTFBq_4rust6shapesINtB2_6SquarefENtB2_4Area4areaB4_,@function
_RNvXNtCshKuLGoDTFBq_4rust6shapesINtB2_6SquarefENtB2_4Area4areaB4_:
.Lfunc_begin2:
	.cfi_startproc
	.loc	6 18 29 prologue_end
	movss	(%rdi), %xmm0
.Ltmp35:
	.file	15 "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860" "library/core/src/convert/num.rs"
	.loc	15 82 17
	cvtss2sd	%xmm0, %xmm0
.Ltmp36:
	.loc	6 19 13
	mulsd	%xmm0, %xmm0
.Ltmp37:
	.loc	6 20 10
	retq
.Ltmp38:
.Lfunc_end2:
	.size	_RNvXNtCshKuLGoDTFBq_4rust6shapesINtB2_6SquarefENtB2_4Area4areaB4_, .Lfunc_end2-_RNvXNtCshKuLGoDTFBq_4rust6shapesINtB2_6SquarefENtB2_4Area4areaB4_
	.cfi_endproc
	.file	16 "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860" "library/core/src/convert/mod.rs"

	.section	.text._RNvXNtCshKuLGoDTFBq_4rust6shapesINtB2_6SquarelENtB2_4Area4areaB4_,"ax",@progbits
	.p2align	4
	.type	_RNvXNtCshKuLGoDTFBq_4rust6shapesINtB2_6SquarelENtB2_4Area4areaB4_,@function
_RNvXNtCshKuLGoDTFBq_4rust6shapesINtB2_6SquarelENtB2_4Area4areaB4_:
.Lfunc_begin3:
	.cfi_startproc
	.loc	15 82 17 prologue_end
	cvtsi2sdl	(%rdi), %xmm0
.Ltmp39:
	.loc	6 19 13
	mulsd	%xmm0, %xmm0
.Ltmp40:
	.loc	6 20 10
	retq
.Ltmp41:
.Lfunc_end3:
	.size	_RNvXNtCshKuLGoDTFBq_4rust6shapesINtB2_6SquarelENtB2_4Area4areaB4_, .Lfunc_end3-_RNvXNtCshKuLGoDTFBq_4rust6shapesINtB2_6SquarelENtB2_4Area4areaB4_
	.cfi_endproc

	.section	.rodata.cst8,"aM",@progbits,8
	.p2align	3, 0x0
.LCPI4_0:
	.quad	0x4008000000000000
	.section	.text._RNvXs_NtCshKuLGoDTFBq_4rust6shapesNtB4_6CircleNtB4_4Area4area,"ax",@progbits
	.p2align	4
	.type	_RNvXs_NtCshKuLGoDTFBq_4rust6shapesNtB4_6CircleNtB4_4Area4area,@function
_RNvXs_NtCshKuLGoDTFBq_4rust6shapesNtB4_6CircleNtB4_4Area4area:
.Lfunc_begin4:
	.cfi_startproc
	.loc	6 25 19 prologue_end
	movsd	(%rdi), %xmm1
	movsd	.LCPI4_0(%rip), %xmm0
	.loc	6 25 13 is_stmt 0
	mulsd	%xmm1, %xmm0
	mulsd	%xmm1, %xmm0
	.loc	6 26 10 is_stmt 1
	retq
.Ltmp42:
.Lfunc_end4:
	.size	_RNvXs_NtCshKuLGoDTFBq_4rust6shapesNtB4_6CircleNtB4_4Area4area, .Lfunc_end4-_RNvXs_NtCshKuLGoDTFBq_4rust6shapesNtB4_6CircleNtB4_4Area4area
	.cfi_endproc

	.section	.rodata.cst16,"aM",@progbits,16
	.p2align	4, 0x0
.LCPI5_0:
	.byte	1
	.byte	1
	.byte	1
	.byte	1
	.zero	1
	.zero	1
	.zero	1
	.zero	1
	.zero	1
	.zero	1
	.zero	1
	.zero	1
	.zero	1
	.zero	1
	.zero	1
	.zero	1
.LCPI5_1:
	.byte	1
	.byte	1
	.byte	1
	.byte	1
	.byte	1
	.byte	1
	.byte	1
	.byte	1
	.zero	1
	.zero	1
	.zero	1
	.zero	1
	.zero	1
	.zero	1
	.zero	1
	.zero	1
	.section	.text.rust_main,"ax",@progbits
	.globl	rust_main
	.p2align	4
	.type	rust_main,@function
rust_main:
.Lfunc_begin5:
	.loc	6 43 0
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	pushq	%rbx
	.cfi_def_cfa_offset 24
	subq	$104, %rsp
	.cfi_def_cfa_offset 128
	.cfi_offset %rbx, -24
	.cfi_offset %rbp, -16
	movq	%rsi, %rbx
.Ltmp43:
	.loc	6 44 45 prologue_end
	cvtsi2ss	%edi, %xmm0
	.loc	6 44 10 is_stmt 0
	movl	%edi, 8(%rsp)
	.loc	6 44 17
	movss	%xmm0, 12(%rsp)
.Ltmp44:
	.loc	6 45 35 is_stmt 1
	xorps	%xmm0, %xmm0
	cvtsi2sd	%edi, %xmm0
	.loc	6 45 18 is_stmt 0
	movsd	%xmm0, 24(%rsp)
	leaq	8(%rsp), %rax
.Ltmp45:
	.loc	6 46 31 is_stmt 1
	movq	%rax, 32(%rsp)
	leaq	.Lanon.61451f0f6e892afbf7f997c882ed58e4.0(%rip), %rax
	movq	%rax, 40(%rsp)
	leaq	12(%rsp), %rax
	movq	%rax, 48(%rsp)
	leaq	.Lanon.61451f0f6e892afbf7f997c882ed58e4.1(%rip), %rax
	movq	%rax, 56(%rsp)
	leaq	24(%rsp), %rax
	movq	%rax, 64(%rsp)
	leaq	.Lanon.61451f0f6e892afbf7f997c882ed58e4.2(%rip), %rax
	movq	%rax, 72(%rsp)
.Ltmp46:
	.loc	4 279 27
	movd	(%rsi), %xmm0
.Ltmp47:
	.loc	6 47 43
	pand	.LCPI5_0(%rip), %xmm0
.Ltmp48:
	.loc	4 279 27
	movzbl	4(%rsi), %eax
	movzbl	5(%rsi), %ecx
.Ltmp49:
	.loc	6 47 43
	andb	$1, %al
	andb	$1, %cl
.Ltmp50:
	.loc	4 279 27
	movzbl	6(%rsi), %edx
.Ltmp51:
	.loc	6 47 43
	andb	$1, %dl
.Ltmp52:
	.loc	13 53 28
	addb	%cl, %dl
	addb	%al, %dl
	pxor	%xmm1, %xmm1
	punpckldq	%xmm1, %xmm0
	psadbw	%xmm1, %xmm0
	movd	%xmm0, %eax
	addb	%dl, %al
.Ltmp53:
	.loc	4 279 27
	movq	7(%rsi), %xmm0
	movzbl	15(%rsi), %ecx
.Ltmp54:
	.loc	6 47 43
	andl	$1, %ecx
.Ltmp55:
	.loc	13 53 28
	pand	.LCPI5_1(%rip), %xmm0
	psadbw	%xmm1, %xmm0
	movzbl	%al, %eax
	movd	%xmm0, %ebp
	addl	%ecx, %ebp
	addl	%eax, %ebp
.Ltmp56:
	.loc	5 961 18
	leaq	80(%rsp), %rsi
	leaq	32(%rsp), %rdi
.Ltmp57:
	.loc	6 49 5
	callq	*_RINvNtCshKuLGoDTFBq_4rust6shapes3sumINtNtNtNtCsgEmfK2I1SDS_4core4iter8adapters6copied6CopiedINtNtNtBH_5slice4iter4IterRDNtB2_4AreaEL_EEEB4_@GOTPCREL(%rip)
	movq	%xmm0, 16(%rsp)
.Ltmp58:
	.loc	1 415 9
	movq	%rbx, 80(%rsp)
	movq	$16, 88(%rsp)
	movb	$0, 96(%rsp)
	leaq	80(%rsp), %rdi
.Ltmp59:
	.loc	6 49 40
	callq	_RINvCshKuLGoDTFBq_4rust7longestINtNtNtCsgEmfK2I1SDS_4core5slice4iter5SplithNCNvB2_9rust_mains_0EEB2_
	xorps	%xmm1, %xmm1
	cvtsi2sd	%rax, %xmm1
	.loc	6 49 5 is_stmt 0
	addsd	16(%rsp), %xmm1
	.loc	6 49 91
	xorps	%xmm0, %xmm0
	cvtsi2sd	%ebp, %xmm0
	.loc	6 49 5
	addsd	%xmm1, %xmm0
.Ltmp60:
	.loc	6 50 2 epilogue_begin is_stmt 1
	addq	$104, %rsp
	.cfi_def_cfa_offset 24
	popq	%rbx
	.cfi_def_cfa_offset 16
	popq	%rbp
	.cfi_def_cfa_offset 8
	retq
.Ltmp61:
.Lfunc_end5:
	.size	rust_main, .Lfunc_end5-rust_main
	.cfi_endproc
	.file	17 "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860" "library/core/src/iter/adapters/filter.rs"

	.type	.Lanon.61451f0f6e892afbf7f997c882ed58e4.0,@object
	.section	.data.rel.ro..Lanon.61451f0f6e892afbf7f997c882ed58e4.0,"aw",@progbits
	.p2align	3, 0x0
.Lanon.61451f0f6e892afbf7f997c882ed58e4.0:
	.asciz	"\000\000\000\000\000\000\000\000\004\000\000\000\000\000\000\000\004\000\000\000\000\000\000"
	.quad	_RNvXNtCshKuLGoDTFBq_4rust6shapesINtB2_6SquarelENtB2_4Area4areaB4_
	.size	.Lanon.61451f0f6e892afbf7f997c882ed58e4.0, 32

	.type	.Lanon.61451f0f6e892afbf7f997c882ed58e4.1,@object
	.section	.data.rel.ro..Lanon.61451f0f6e892afbf7f997c882ed58e4.1,"aw",@progbits
	.p2align	3, 0x0
.Lanon.61451f0f6e892afbf7f997c882ed58e4.1:
	.asciz	"\000\000\000\000\000\000\000\000\004\000\000\000\000\000\000\000\004\000\000\000\000\000\000"
	.quad	_RNvXNtCshKuLGoDTFBq_4rust6shapesINtB2_6SquarefENtB2_4Area4areaB4_
	.size	.Lanon.61451f0f6e892afbf7f997c882ed58e4.1, 32

	.type	.Lanon.61451f0f6e892afbf7f997c882ed58e4.2,@object
	.section	.data.rel.ro..Lanon.61451f0f6e892afbf7f997c882ed58e4.2,"aw",@progbits
	.p2align	3, 0x0
.Lanon.61451f0f6e892afbf7f997c882ed58e4.2:
	.asciz	"\000\000\000\000\000\000\000\000\b\000\000\000\000\000\000\000\b\000\000\000\000\000\000"
	.quad	_RNvXs_NtCshKuLGoDTFBq_4rust6shapesNtB4_6CircleNtB4_4Area4area
	.size	.Lanon.61451f0f6e892afbf7f997c882ed58e4.2, 32

	.section	.debug_abbrev,"",@progbits
	.byte	1
	.byte	17
	.byte	1
	.byte	37
	.byte	14
	.byte	19
	.byte	5
	.byte	3
	.byte	14
	.byte	16
	.byte	23
	.byte	27
	.byte	14
	.byte	17
	.byte	1
	.byte	85
	.byte	23
	.byte	0
	.byte	0
	.byte	2
	.byte	57
	.byte	1
	.byte	3
	.byte	14
	.byte	0
	.byte	0
	.byte	3
	.byte	46
	.byte	0
	.byte	110
	.byte	14
	.byte	3
	.byte	14
	.byte	58
	.byte	11
	.byte	59
	.byte	5
	.byte	32
	.byte	11
	.byte	0
	.byte	0
	.byte	4
	.byte	46
	.byte	0
	.byte	110
	.byte	14
	.byte	3
	.byte	14
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	32
	.byte	11
	.byte	0
	.byte	0
	.byte	5
	.byte	46
	.byte	1
	.byte	17
	.byte	1
	.byte	18
	.byte	6
	.byte	64
	.byte	24
	.byte	110
	.byte	14
	.byte	3
	.byte	14
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	0
	.byte	0
	.byte	6
	.byte	29
	.byte	1
	.byte	49
	.byte	19
	.byte	85
	.byte	23
	.byte	88
	.byte	11
	.byte	89
	.byte	11
	.byte	87
	.byte	11
	.byte	0
	.byte	0
	.byte	7
	.byte	29
	.byte	1
	.byte	49
	.byte	19
	.byte	85
	.byte	23
	.byte	88
	.byte	11
	.byte	89
	.byte	5
	.byte	87
	.byte	11
	.byte	0
	.byte	0
	.byte	8
	.byte	29
	.byte	0
	.byte	49
	.byte	19
	.byte	85
	.byte	23
	.byte	88
	.byte	11
	.byte	89
	.byte	11
	.byte	87
	.byte	11
	.byte	0
	.byte	0
	.byte	9
	.byte	29
	.byte	1
	.byte	49
	.byte	19
	.byte	17
	.byte	1
	.byte	18
	.byte	6
	.byte	88
	.byte	11
	.byte	89
	.byte	5
	.byte	87
	.byte	11
	.byte	0
	.byte	0
	.byte	10
	.byte	29
	.byte	0
	.byte	49
	.byte	19
	.byte	17
	.byte	1
	.byte	18
	.byte	6
	.byte	88
	.byte	11
	.byte	89
	.byte	5
	.byte	87
	.byte	11
	.byte	0
	.byte	0
	.byte	11
	.byte	29
	.byte	1
	.byte	49
	.byte	19
	.byte	17
	.byte	1
	.byte	18
	.byte	6
	.byte	88
	.byte	11
	.byte	89
	.byte	5
	.byte	87
	.byte	11
	.ascii	"\266B"
	.byte	11
	.byte	0
	.byte	0
	.byte	12
	.byte	29
	.byte	0
	.byte	49
	.byte	19
	.byte	17
	.byte	1
	.byte	18
	.byte	6
	.byte	88
	.byte	11
	.byte	89
	.byte	5
	.byte	87
	.byte	11
	.ascii	"\266B"
	.byte	11
	.byte	0
	.byte	0
	.byte	13
	.byte	29
	.byte	0
	.byte	49
	.byte	19
	.byte	85
	.byte	23
	.byte	88
	.byte	11
	.byte	89
	.byte	5
	.byte	87
	.byte	11
	.byte	0
	.byte	0
	.byte	14
	.byte	29
	.byte	1
	.byte	49
	.byte	19
	.byte	17
	.byte	1
	.byte	18
	.byte	6
	.byte	88
	.byte	11
	.byte	89
	.byte	11
	.byte	87
	.byte	11
	.byte	0
	.byte	0
	.byte	15
	.byte	29
	.byte	0
	.byte	49
	.byte	19
	.byte	17
	.byte	1
	.byte	18
	.byte	6
	.byte	88
	.byte	11
	.byte	89
	.byte	11
	.byte	87
	.byte	11
	.byte	0
	.byte	0
	.byte	16
	.byte	46
	.byte	0
	.byte	17
	.byte	1
	.byte	18
	.byte	6
	.byte	64
	.byte	24
	.byte	110
	.byte	14
	.byte	3
	.byte	14
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	0
	.byte	0
	.byte	17
	.byte	46
	.byte	1
	.byte	17
	.byte	1
	.byte	18
	.byte	6
	.byte	64
	.byte	24
	.byte	3
	.byte	14
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	63
	.byte	25
	.byte	0
	.byte	0
	.byte	18
	.byte	29
	.byte	0
	.byte	49
	.byte	19
	.byte	17
	.byte	1
	.byte	18
	.byte	6
	.byte	88
	.byte	11
	.byte	89
	.byte	11
	.byte	87
	.byte	11
	.ascii	"\266B"
	.byte	11
	.byte	0
	.byte	0
	.byte	0
	.section	.debug_info,"",@progbits
.Lcu_begin0:
	.long	.Ldebug_info_end0-.Ldebug_info_start0
.Ldebug_info_start0:
	.short	4
	.long	.debug_abbrev
	.byte	8
	.byte	1
	.long	.Linfo_string0
	.short	28
	.long	.Linfo_string1
	.long	.Lline_table_start0
	.long	.Linfo_string2
	.quad	0
	.long	.Ldebug_ranges11
	.byte	2
	.long	.Linfo_string3
	.byte	2
	.long	.Linfo_string4
	.byte	2
	.long	.Linfo_string5
	.byte	2
	.long	.Linfo_string6
	.byte	3
	.long	.Linfo_string7
	.long	.Linfo_string8
	.byte	1
	.short	462
	.byte	1
	.byte	2
	.long	.Linfo_string47
	.byte	3
	.long	.Linfo_string48
	.long	.Linfo_string49
	.byte	1
	.short	467
	.byte	1
	.byte	0
	.byte	0
	.byte	2
	.long	.Linfo_string29
	.byte	4
	.long	.Linfo_string30
	.long	.Linfo_string31
	.byte	4
	.byte	157
	.byte	1
	.byte	3
	.long	.Linfo_string32
	.long	.Linfo_string33
	.byte	4
	.short	377
	.byte	1
	.byte	3
	.long	.Linfo_string74
	.long	.Linfo_string75
	.byte	4
	.short	259
	.byte	1
	.byte	3
	.long	.Linfo_string117
	.long	.Linfo_string118
	.byte	4
	.short	259
	.byte	1
	.byte	0
	.byte	2
	.long	.Linfo_string38
	.byte	4
	.long	.Linfo_string39
	.long	.Linfo_string40
	.byte	1
	.byte	96
	.byte	1
	.byte	4
	.long	.Linfo_string141
	.long	.Linfo_string142
	.byte	1
	.byte	96
	.byte	1
	.byte	0
	.byte	2
	.long	.Linfo_string145
	.byte	3
	.long	.Linfo_string146
	.long	.Linfo_string147
	.byte	1
	.short	414
	.byte	1
	.byte	0
	.byte	0
	.byte	2
	.long	.Linfo_string35
	.byte	3
	.long	.Linfo_string41
	.long	.Linfo_string42
	.byte	10
	.short	1040
	.byte	1
	.byte	3
	.long	.Linfo_string58
	.long	.Linfo_string59
	.byte	10
	.short	639
	.byte	1
	.byte	3
	.long	.Linfo_string143
	.long	.Linfo_string144
	.byte	10
	.short	1040
	.byte	1
	.byte	3
	.long	.Linfo_string148
	.long	.Linfo_string149
	.byte	10
	.short	2244
	.byte	1
	.byte	0
	.byte	2
	.long	.Linfo_string50
	.byte	4
	.long	.Linfo_string51
	.long	.Linfo_string52
	.byte	7
	.byte	82
	.byte	1
	.byte	2
	.long	.Linfo_string53
	.byte	3
	.long	.Linfo_string54
	.long	.Linfo_string55
	.byte	7
	.short	392
	.byte	1
	.byte	0
	.byte	2
	.long	.Linfo_string56
	.byte	3
	.long	.Linfo_string57
	.long	.Linfo_string55
	.byte	7
	.short	555
	.byte	1
	.byte	0
	.byte	0
	.byte	0
	.byte	2
	.long	.Linfo_string5
	.byte	2
	.long	.Linfo_string9
	.byte	2
	.long	.Linfo_string10
	.byte	2
	.long	.Linfo_string11
	.byte	3
	.long	.Linfo_string12
	.long	.Linfo_string13
	.byte	9
	.short	2640
	.byte	1
	.byte	3
	.long	.Linfo_string22
	.long	.Linfo_string23
	.byte	9
	.short	789
	.byte	1
	.byte	3
	.long	.Linfo_string86
	.long	.Linfo_string87
	.byte	9
	.short	3653
	.byte	1
	.byte	3
	.long	.Linfo_string124
	.long	.Linfo_string125
	.byte	9
	.short	3653
	.byte	1
	.byte	0
	.byte	0
	.byte	2
	.long	.Linfo_string82
	.byte	2
	.long	.Linfo_string83
	.byte	4
	.long	.Linfo_string84
	.long	.Linfo_string85
	.byte	13
	.byte	160
	.byte	1
	.byte	2
	.long	.Linfo_string95
	.byte	4
	.long	.Linfo_string103
	.long	.Linfo_string104
	.byte	13
	.byte	164
	.byte	1
	.byte	0
	.byte	0
	.byte	2
	.long	.Linfo_string121
	.byte	4
	.long	.Linfo_string122
	.long	.Linfo_string123
	.byte	13
	.byte	49
	.byte	1
	.byte	2
	.long	.Linfo_string95
	.byte	4
	.long	.Linfo_string137
	.long	.Linfo_string138
	.byte	13
	.byte	53
	.byte	1
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	2
	.long	.Linfo_string14
	.byte	2
	.long	.Linfo_string15
	.byte	2
	.long	.Linfo_string16
	.byte	4
	.long	.Linfo_string17
	.long	.Linfo_string18
	.byte	2
	.byte	124
	.byte	1
	.byte	4
	.long	.Linfo_string80
	.long	.Linfo_string81
	.byte	2
	.byte	124
	.byte	1
	.byte	4
	.long	.Linfo_string119
	.long	.Linfo_string120
	.byte	2
	.byte	124
	.byte	1
	.byte	0
	.byte	2
	.long	.Linfo_string19
	.byte	4
	.long	.Linfo_string20
	.long	.Linfo_string21
	.byte	2
	.byte	68
	.byte	1
	.byte	0
	.byte	2
	.long	.Linfo_string69
	.byte	4
	.long	.Linfo_string70
	.long	.Linfo_string71
	.byte	2
	.byte	88
	.byte	1
	.byte	4
	.long	.Linfo_string98
	.long	.Linfo_string99
	.byte	2
	.byte	88
	.byte	1
	.byte	4
	.long	.Linfo_string135
	.long	.Linfo_string136
	.byte	2
	.byte	88
	.byte	1
	.byte	0
	.byte	0
	.byte	2
	.long	.Linfo_string76
	.byte	2
	.long	.Linfo_string77
	.byte	4
	.long	.Linfo_string78
	.long	.Linfo_string79
	.byte	14
	.byte	77
	.byte	1
	.byte	0
	.byte	2
	.long	.Linfo_string100
	.byte	4
	.long	.Linfo_string101
	.long	.Linfo_string102
	.byte	14
	.byte	36
	.byte	1
	.byte	0
	.byte	0
	.byte	2
	.long	.Linfo_string126
	.byte	2
	.long	.Linfo_string110
	.byte	4
	.long	.Linfo_string127
	.long	.Linfo_string128
	.byte	17
	.byte	135
	.byte	1
	.byte	2
	.long	.Linfo_string131
	.byte	2
	.long	.Linfo_string132
	.byte	4
	.long	.Linfo_string133
	.long	.Linfo_string134
	.byte	17
	.byte	138
	.byte	1
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	2
	.long	.Linfo_string24
	.byte	2
	.long	.Linfo_string25
	.byte	2
	.long	.Linfo_string26
	.byte	3
	.long	.Linfo_string27
	.long	.Linfo_string28
	.byte	3
	.short	1719
	.byte	1
	.byte	3
	.long	.Linfo_string72
	.long	.Linfo_string73
	.byte	3
	.short	1719
	.byte	1
	.byte	0
	.byte	2
	.long	.Linfo_string92
	.byte	3
	.long	.Linfo_string93
	.long	.Linfo_string90
	.byte	3
	.short	948
	.byte	1
	.byte	0
	.byte	0
	.byte	2
	.long	.Linfo_string34
	.byte	2
	.long	.Linfo_string35
	.byte	3
	.long	.Linfo_string36
	.long	.Linfo_string37
	.byte	5
	.short	927
	.byte	1
	.byte	3
	.long	.Linfo_string91
	.long	.Linfo_string90
	.byte	5
	.short	882
	.byte	1
	.byte	3
	.long	.Linfo_string139
	.long	.Linfo_string140
	.byte	5
	.short	927
	.byte	1
	.byte	0
	.byte	0
	.byte	2
	.long	.Linfo_string88
	.byte	2
	.long	.Linfo_string35
	.byte	3
	.long	.Linfo_string89
	.long	.Linfo_string90
	.byte	12
	.short	701
	.byte	1
	.byte	0
	.byte	0
	.byte	0
	.byte	2
	.long	.Linfo_string60
	.byte	2
	.long	.Linfo_string61
	.byte	3
	.long	.Linfo_string62
	.long	.Linfo_string63
	.byte	8
	.short	1033
	.byte	1
	.byte	0
	.byte	0
	.byte	2
	.long	.Linfo_string64
	.byte	2
	.long	.Linfo_string65
	.byte	2
	.long	.Linfo_string66
	.byte	4
	.long	.Linfo_string67
	.long	.Linfo_string68
	.byte	11
	.byte	166
	.byte	1
	.byte	0
	.byte	0
	.byte	0
	.byte	2
	.long	.Linfo_string105
	.byte	2
	.long	.Linfo_string106
	.byte	2
	.long	.Linfo_string107
	.byte	4
	.long	.Linfo_string108
	.long	.Linfo_string109
	.byte	15
	.byte	79
	.byte	1
	.byte	0
	.byte	2
	.long	.Linfo_string113
	.byte	4
	.long	.Linfo_string114
	.long	.Linfo_string109
	.byte	15
	.byte	79
	.byte	1
	.byte	0
	.byte	0
	.byte	2
	.long	.Linfo_string110
	.byte	3
	.long	.Linfo_string111
	.long	.Linfo_string112
	.byte	16
	.short	777
	.byte	1
	.byte	3
	.long	.Linfo_string115
	.long	.Linfo_string116
	.byte	16
	.short	777
	.byte	1
	.byte	0
	.byte	0
	.byte	0
	.byte	2
	.long	.Linfo_string43
	.byte	2
	.long	.Linfo_string44
	.byte	4
	.long	.Linfo_string45
	.long	.Linfo_string46
	.byte	6
	.byte	49
	.byte	1
	.byte	4
	.long	.Linfo_string129
	.long	.Linfo_string130
	.byte	6
	.byte	47
	.byte	1
	.byte	0
	.byte	5
	.quad	.Lfunc_begin0
	.long	.Lfunc_end0-.Lfunc_begin0
	.byte	1
	.byte	87
	.long	.Linfo_string150
	.long	.Linfo_string151
	.byte	6
	.byte	38
	.byte	6
	.long	485
	.long	.Ldebug_ranges0
	.byte	6
	.byte	39
	.byte	28
	.byte	6
	.long	337
	.long	.Ldebug_ranges0
	.byte	2
	.byte	128
	.byte	19
	.byte	7
	.long	62
	.long	.Ldebug_ranges1
	.byte	9
	.short	2646
	.byte	34
	.byte	7
	.long	112
	.long	.Ldebug_ranges2
	.byte	1
	.short	467
	.byte	29
	.byte	7
	.long	100
	.long	.Ldebug_ranges3
	.byte	4
	.short	383
	.byte	42
	.byte	8
	.long	690
	.long	.Ldebug_ranges4
	.byte	4
	.byte	180
	.byte	28
	.byte	0
	.byte	9
	.long	80
	.quad	.Ltmp6
	.long	.Ltmp7-.Ltmp6
	.byte	4
	.short	384
	.byte	24
	.byte	10
	.long	960
	.quad	.Ltmp6
	.long	.Ltmp7-.Ltmp6
	.byte	1
	.short	467
	.byte	42
	.byte	0
	.byte	0
	.byte	7
	.long	207
	.long	.Ldebug_ranges5
	.byte	1
	.short	467
	.byte	22
	.byte	7
	.long	157
	.long	.Ldebug_ranges5
	.byte	10
	.short	1041
	.byte	9
	.byte	8
	.long	747
	.long	.Ldebug_ranges5
	.byte	1
	.byte	102
	.byte	78
	.byte	0
	.byte	0
	.byte	9
	.long	220
	.quad	.Ltmp12
	.long	.Ltmp14-.Ltmp12
	.byte	1
	.short	473
	.byte	67
	.byte	11
	.long	301
	.quad	.Ltmp12
	.long	.Ltmp14-.Ltmp12
	.byte	10
	.short	646
	.byte	26
	.byte	2
	.byte	9
	.long	282
	.quad	.Ltmp12
	.long	.Ltmp14-.Ltmp12
	.byte	7
	.short	557
	.byte	44
	.byte	12
	.long	265
	.quad	.Ltmp12
	.long	.Ltmp14-.Ltmp12
	.byte	7
	.short	411
	.byte	13
	.byte	2
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	7
	.long	545
	.long	.Ldebug_ranges6
	.byte	9
	.short	2647
	.byte	21
	.byte	6
	.long	854
	.long	.Ldebug_ranges6
	.byte	2
	.byte	88
	.byte	21
	.byte	8
	.long	824
	.long	.Ldebug_ranges6
	.byte	11
	.byte	166
	.byte	5
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	6
	.long	350
	.long	.Ldebug_ranges7
	.byte	6
	.byte	39
	.byte	11
	.byte	13
	.long	527
	.long	.Ldebug_ranges7
	.byte	9
	.short	794
	.byte	9
	.byte	0
	.byte	0
	.byte	2
	.long	.Linfo_string94
	.byte	2
	.long	.Linfo_string95
	.byte	4
	.long	.Linfo_string96
	.long	.Linfo_string97
	.byte	6
	.byte	31
	.byte	1
	.byte	0
	.byte	5
	.quad	.Lfunc_begin1
	.long	.Lfunc_end1-.Lfunc_begin1
	.byte	1
	.byte	87
	.long	.Linfo_string152
	.long	.Linfo_string153
	.byte	6
	.byte	30
	.byte	14
	.long	363
	.quad	.Lfunc_begin1
	.long	.Ltmp33-.Lfunc_begin1
	.byte	6
	.byte	31
	.byte	42
	.byte	9
	.long	401
	.quad	.Lfunc_begin1
	.long	.Ltmp33-.Lfunc_begin1
	.byte	9
	.short	3658
	.byte	9
	.byte	14
	.long	497
	.quad	.Lfunc_begin1
	.long	.Ltmp33-.Lfunc_begin1
	.byte	13
	.byte	161
	.byte	22
	.byte	14
	.long	593
	.quad	.Lfunc_begin1
	.long	.Ltmp33-.Lfunc_begin1
	.byte	2
	.byte	128
	.byte	19
	.byte	14
	.long	125
	.quad	.Lfunc_begin1
	.long	.Ltmp33-.Lfunc_begin1
	.byte	14
	.byte	81
	.byte	17
	.byte	15
	.long	703
	.quad	.Lfunc_begin1
	.long	.Ltmp23-.Lfunc_begin1
	.byte	4
	.byte	44
	.byte	20
	.byte	14
	.long	722
	.quad	.Ltmp25
	.long	.Ltmp26-.Ltmp25
	.byte	4
	.byte	57
	.byte	30
	.byte	9
	.long	760
	.quad	.Ltmp25
	.long	.Ltmp26-.Ltmp25
	.byte	3
	.short	953
	.byte	32
	.byte	10
	.long	798
	.quad	.Ltmp25
	.long	.Ltmp26-.Ltmp25
	.byte	5
	.short	887
	.byte	37
	.byte	0
	.byte	0
	.byte	9
	.long	611
	.quad	.Ltmp30
	.long	.Ltmp32-.Ltmp30
	.byte	4
	.short	279
	.byte	27
	.byte	14
	.long	557
	.quad	.Ltmp30
	.long	.Ltmp32-.Ltmp30
	.byte	14
	.byte	36
	.byte	22
	.byte	15
	.long	1338
	.quad	.Ltmp30
	.long	.Ltmp31-.Ltmp30
	.byte	2
	.byte	88
	.byte	28
	.byte	15
	.long	418
	.quad	.Ltmp31
	.long	.Ltmp32-.Ltmp31
	.byte	2
	.byte	88
	.byte	21
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	2
	.long	.Linfo_string35
	.byte	5
	.quad	.Lfunc_begin2
	.long	.Lfunc_end2-.Lfunc_begin2
	.byte	1
	.byte	87
	.long	.Linfo_string154
	.long	.Linfo_string155
	.byte	6
	.byte	17
	.byte	14
	.long	921
	.quad	.Ltmp35
	.long	.Ltmp36-.Ltmp35
	.byte	6
	.byte	18
	.byte	36
	.byte	10
	.long	884
	.quad	.Ltmp35
	.long	.Ltmp36-.Ltmp35
	.byte	16
	.short	778
	.byte	9
	.byte	0
	.byte	0
	.byte	5
	.quad	.Lfunc_begin3
	.long	.Lfunc_end3-.Lfunc_begin3
	.byte	1
	.byte	87
	.long	.Linfo_string156
	.long	.Linfo_string157
	.byte	6
	.byte	17
	.byte	14
	.long	934
	.quad	.Lfunc_begin3
	.long	.Ltmp39-.Lfunc_begin3
	.byte	6
	.byte	18
	.byte	36
	.byte	10
	.long	902
	.quad	.Lfunc_begin3
	.long	.Ltmp39-.Lfunc_begin3
	.byte	16
	.short	778
	.byte	9
	.byte	0
	.byte	0
	.byte	0
	.byte	2
	.long	.Linfo_string77
	.byte	16
	.quad	.Lfunc_begin4
	.long	.Lfunc_end4-.Lfunc_begin4
	.byte	1
	.byte	87
	.long	.Linfo_string158
	.long	.Linfo_string159
	.byte	6
	.byte	24
	.byte	0
	.byte	0
	.byte	17
	.quad	.Lfunc_begin5
	.long	.Lfunc_end5-.Lfunc_begin5
	.byte	1
	.byte	87
	.long	.Linfo_string44
	.byte	6
	.byte	43

	.byte	14
	.long	635
	.quad	.Ltmp46
	.long	.Ltmp56-.Ltmp46
	.byte	6
	.byte	47
	.byte	58
	.byte	14
	.long	376
	.quad	.Ltmp46
	.long	.Ltmp56-.Ltmp46
	.byte	17
	.byte	142
	.byte	61
	.byte	9
	.long	437
	.quad	.Ltmp46
	.long	.Ltmp56-.Ltmp46
	.byte	9
	.short	3658
	.byte	9
	.byte	14
	.long	509
	.quad	.Ltmp46
	.long	.Ltmp56-.Ltmp46
	.byte	13
	.byte	50
	.byte	22
	.byte	14
	.long	138
	.quad	.Ltmp46
	.long	.Ltmp56-.Ltmp46
	.byte	2
	.byte	128
	.byte	19
	.byte	7
	.long	569
	.long	.Ldebug_ranges8
	.byte	4
	.short	279
	.byte	27
	.byte	6
	.long	657
	.long	.Ldebug_ranges9
	.byte	2
	.byte	88
	.byte	28
	.byte	8
	.long	972
	.long	.Ldebug_ranges9
	.byte	17
	.byte	138
	.byte	22
	.byte	0
	.byte	8
	.long	454
	.long	.Ldebug_ranges10
	.byte	2
	.byte	88
	.byte	21
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	14
	.long	233
	.quad	.Ltmp56
	.long	.Ltmp57-.Ltmp56
	.byte	6
	.byte	49
	.byte	21
	.byte	11
	.long	169
	.quad	.Ltmp56
	.long	.Ltmp57-.Ltmp56
	.byte	10
	.short	1041
	.byte	9
	.byte	2
	.byte	18
	.long	773
	.quad	.Ltmp56
	.long	.Ltmp57-.Ltmp56
	.byte	1
	.byte	102
	.byte	78
	.byte	2
	.byte	0
	.byte	0
	.byte	14
	.long	246
	.quad	.Ltmp58
	.long	.Ltmp59-.Ltmp58
	.byte	6
	.byte	49
	.byte	53
	.byte	10
	.long	187
	.quad	.Ltmp58
	.long	.Ltmp59-.Ltmp58
	.byte	10
	.short	2248
	.byte	9
	.byte	0
	.byte	0
	.byte	0
	.byte	0
.Ldebug_info_end0:
	.section	.text._RINvCshKuLGoDTFBq_4rust7longestINtNtNtCsgEmfK2I1SDS_4core5slice4iter5SplithNCNvB2_9rust_mains_0EEB2_,"ax",@progbits
.Lsec_end0:
	.section	.text._RINvNtCshKuLGoDTFBq_4rust6shapes3sumINtNtNtNtCsgEmfK2I1SDS_4core4iter8adapters6copied6CopiedINtNtNtBH_5slice4iter4IterRDNtB2_4AreaEL_EEEB4_,"ax",@progbits
.Lsec_end1:
	.section	.text._RNvXNtCshKuLGoDTFBq_4rust6shapesINtB2_6SquarefENtB2_4Area4areaB4_,"ax",@progbits
.Lsec_end2:
	.section	.text._RNvXNtCshKuLGoDTFBq_4rust6shapesINtB2_6SquarelENtB2_4Area4areaB4_,"ax",@progbits
.Lsec_end3:
	.section	.text._RNvXs_NtCshKuLGoDTFBq_4rust6shapesNtB4_6CircleNtB4_4Area4area,"ax",@progbits
.Lsec_end4:
	.section	.text.rust_main,"ax",@progbits
.Lsec_end5:
	.section	.debug_aranges,"",@progbits
	.long	124
	.short	2
	.long	.Lcu_begin0
	.byte	8
	.byte	0
	.zero	4,255
	.quad	.Lfunc_begin0
	.quad	.Lsec_end0-.Lfunc_begin0
	.quad	.Lfunc_begin1
	.quad	.Lsec_end1-.Lfunc_begin1
	.quad	.Lfunc_begin2
	.quad	.Lsec_end2-.Lfunc_begin2
	.quad	.Lfunc_begin3
	.quad	.Lsec_end3-.Lfunc_begin3
	.quad	.Lfunc_begin4
	.quad	.Lsec_end4-.Lfunc_begin4
	.quad	.Lfunc_begin5
	.quad	.Lsec_end5-.Lfunc_begin5
	.quad	0
	.quad	0
	.section	.debug_ranges,"",@progbits
.Ldebug_ranges0:
	.quad	.Lfunc_begin0
	.quad	.Ltmp0
	.quad	.Ltmp1
	.quad	.Ltmp3
	.quad	.Ltmp4
	.quad	.Ltmp19
	.quad	.Ltmp20
	.quad	.Ltmp21
	.quad	0
	.quad	0
.Ldebug_ranges1:
	.quad	.Lfunc_begin0
	.quad	.Ltmp0
	.quad	.Ltmp1
	.quad	.Ltmp3
	.quad	.Ltmp4
	.quad	.Ltmp14
	.quad	.Ltmp15
	.quad	.Ltmp16
	.quad	.Ltmp17
	.quad	.Ltmp19
	.quad	0
	.quad	0
.Ldebug_ranges2:
	.quad	.Ltmp1
	.quad	.Ltmp3
	.quad	.Ltmp6
	.quad	.Ltmp12
	.quad	.Ltmp17
	.quad	.Ltmp19
	.quad	0
	.quad	0
.Ldebug_ranges3:
	.quad	.Ltmp1
	.quad	.Ltmp3
	.quad	.Ltmp8
	.quad	.Ltmp9
	.quad	.Ltmp10
	.quad	.Ltmp12
	.quad	.Ltmp17
	.quad	.Ltmp19
	.quad	0
	.quad	0
.Ldebug_ranges4:
	.quad	.Ltmp1
	.quad	.Ltmp2
	.quad	.Ltmp8
	.quad	.Ltmp9
	.quad	.Ltmp10
	.quad	.Ltmp11
	.quad	.Ltmp17
	.quad	.Ltmp18
	.quad	0
	.quad	0
.Ldebug_ranges5:
	.quad	.Ltmp4
	.quad	.Ltmp5
	.quad	.Ltmp15
	.quad	.Ltmp16
	.quad	0
	.quad	0
.Ldebug_ranges6:
	.quad	.Ltmp14
	.quad	.Ltmp15
	.quad	.Ltmp16
	.quad	.Ltmp17
	.quad	.Ltmp20
	.quad	.Ltmp21
	.quad	0
	.quad	0
.Ldebug_ranges7:
	.quad	.Ltmp0
	.quad	.Ltmp1
	.quad	.Ltmp3
	.quad	.Ltmp4
	.quad	0
	.quad	0
.Ldebug_ranges8:
	.quad	.Ltmp47
	.quad	.Ltmp48
	.quad	.Ltmp49
	.quad	.Ltmp50
	.quad	.Ltmp51
	.quad	.Ltmp53
	.quad	.Ltmp54
	.quad	.Ltmp56
	.quad	0
	.quad	0
.Ldebug_ranges9:
	.quad	.Ltmp47
	.quad	.Ltmp48
	.quad	.Ltmp49
	.quad	.Ltmp50
	.quad	.Ltmp51
	.quad	.Ltmp52
	.quad	.Ltmp54
	.quad	.Ltmp55
	.quad	0
	.quad	0
.Ldebug_ranges10:
	.quad	.Ltmp52
	.quad	.Ltmp53
	.quad	.Ltmp55
	.quad	.Ltmp56
	.quad	0
	.quad	0
.Ldebug_ranges11:
	.quad	.Lfunc_begin0
	.quad	.Lfunc_end0
	.quad	.Lfunc_begin1
	.quad	.Lfunc_end1
	.quad	.Lfunc_begin2
	.quad	.Lfunc_end2
	.quad	.Lfunc_begin3
	.quad	.Lfunc_end3
	.quad	.Lfunc_begin4
	.quad	.Lfunc_end4
	.quad	.Lfunc_begin5
	.quad	.Lfunc_end5
	.quad	0
	.quad	0
	.section	.debug_str,"MS",@progbits,1
.Linfo_string0:
	.asciz	"clang LLVM (rustc version 1.95.0 (59807616e 2026-04-14))"
.Linfo_string1:
	.asciz	"rust.rs/@/rust.cebe997107dec46e-cgu.0"
.Linfo_string2:
	.asciz	"."
.Linfo_string3:
	.asciz	"core"
.Linfo_string4:
	.asciz	"slice"
.Linfo_string5:
	.asciz	"iter"
.Linfo_string6:
	.asciz	"{impl#17}"
.Linfo_string7:
	.asciz	"_RNvXsf_NtNtCsgEmfK2I1SDS_4core5slice4iterINtB5_5SplithNCNvCshKuLGoDTFBq_4rust9rust_mains_0ENtNtNtNtB9_4iter6traits8iterator8Iterator4nextBU_"
.Linfo_string8:
	.asciz	"next<u8, rust::rust_main::{closure_env#1}>"
.Linfo_string9:
	.asciz	"traits"
.Linfo_string10:
	.asciz	"iterator"
.Linfo_string11:
	.asciz	"Iterator"
.Linfo_string12:
	.asciz	"_RINvYINtNtNtCsgEmfK2I1SDS_4core5slice4iter5SplithNCNvCshKuLGoDTFBq_4rust9rust_mains_0ENtNtNtNtBa_4iter6traits8iterator8Iterator4foldjNCINvNtNtB1s_8adapters3map8map_foldRShjjNvMB8_B2H_3lenNvYjNtNtBa_3cmp3Ord3maxE0EBP_"
.Linfo_string13:
	.asciz	"fold<core::slice::iter::Split<u8, rust::rust_main::{closure_env#1}>, usize, core::iter::adapters::map::map_fold::{closure_env#0}<&[u8], usize, usize, fn(&[u8]) -> usize, fn(usize, usize) -> usize>>"
.Linfo_string14:
	.asciz	"adapters"
.Linfo_string15:
	.asciz	"map"
.Linfo_string16:
	.asciz	"{impl#2}"
.Linfo_string17:
	.asciz	"_RINvXs0_NtNtNtCsgEmfK2I1SDS_4core4iter8adapters3mapINtB6_3MapINtNtNtBc_5slice4iter5SplithNCNvCshKuLGoDTFBq_4rust9rust_mains_0ENvMB12_Sh3lenENtNtNtBa_6traits8iterator8Iterator4foldjNvYjNtNtBc_3cmp3Ord3maxEB1t_"
.Linfo_string18:
	.asciz	"fold<usize, core::slice::iter::Split<u8, rust::rust_main::{closure_env#1}>, fn(&[u8]) -> usize, usize, fn(usize, usize) -> usize>"
.Linfo_string19:
	.asciz	"Map"
.Linfo_string20:
	.asciz	"_RNvMNtNtNtCsgEmfK2I1SDS_4core4iter8adapters3mapINtB2_3MapINtNtNtB8_5slice4iter5SplithNCNvCshKuLGoDTFBq_4rust9rust_mains_0ENvMBY_Sh3lenE3newB1p_"
.Linfo_string21:
	.asciz	"new<core::slice::iter::Split<u8, rust::rust_main::{closure_env#1}>, fn(&[u8]) -> usize>"
.Linfo_string22:
	.asciz	"_RINvYINtNtNtCsgEmfK2I1SDS_4core5slice4iter5SplithNCNvCshKuLGoDTFBq_4rust9rust_mains_0ENtNtNtNtBa_4iter6traits8iterator8Iterator3mapjNvMB8_Sh3lenEBP_"
.Linfo_string23:
	.asciz	"map<core::slice::iter::Split<u8, rust::rust_main::{closure_env#1}>, usize, fn(&[u8]) -> usize>"
.Linfo_string24:
	.asciz	"ptr"
.Linfo_string25:
	.asciz	"non_null"
.Linfo_string26:
	.asciz	"{impl#16}"
.Linfo_string27:
	.asciz	"_RNvXse_NtNtCsgEmfK2I1SDS_4core3ptr8non_nullINtB5_7NonNullhENtNtB9_3cmp9PartialEq2eqCshKuLGoDTFBq_4rust"
.Linfo_string28:
	.asciz	"eq<u8>"
.Linfo_string29:
	.asciz	"{impl#171}"
.Linfo_string30:
	.asciz	"_RNvXs2J_NtNtCsgEmfK2I1SDS_4core5slice4iterINtB6_4IterhENtNtNtNtBa_4iter6traits8iterator8Iterator4nextCshKuLGoDTFBq_4rust"
.Linfo_string31:
	.asciz	"next<u8>"
.Linfo_string32:
	.asciz	"_RINvXs2J_NtNtCsgEmfK2I1SDS_4core5slice4iterINtB7_4IterhENtNtNtNtBb_4iter6traits8iterator8Iterator8positionNCNvXsf_B7_INtB7_5SplithNCNvCshKuLGoDTFBq_4rust9rust_mains_0EBS_4next0EB28_"
.Linfo_string33:
	.asciz	"position<u8, core::slice::iter::{impl#17}::next::{closure_env#0}<u8, rust::rust_main::{closure_env#1}>>"
.Linfo_string34:
	.asciz	"mut_ptr"
.Linfo_string35:
	.asciz	"{impl#0}"
.Linfo_string36:
	.asciz	"_RNvMNtNtCsgEmfK2I1SDS_4core3ptr7mut_ptrOh3addCshKuLGoDTFBq_4rust"
.Linfo_string37:
	.asciz	"add<u8>"
.Linfo_string38:
	.asciz	"Iter"
.Linfo_string39:
	.asciz	"_RNvMs4_NtNtCsgEmfK2I1SDS_4core5slice4iterINtB5_4IterhE3newCshKuLGoDTFBq_4rust"
.Linfo_string40:
	.asciz	"new<u8>"
.Linfo_string41:
	.asciz	"_RNvMNtCsgEmfK2I1SDS_4core5sliceSh4iterCshKuLGoDTFBq_4rust"
.Linfo_string42:
	.asciz	"iter<u8>"
.Linfo_string43:
	.asciz	"rust"
.Linfo_string44:
	.asciz	"rust_main"
.Linfo_string45:
	.asciz	"_RNCNvCshKuLGoDTFBq_4rust9rust_mains_0B3_"
.Linfo_string46:
	.asciz	"{closure#1}"
.Linfo_string47:
	.asciz	"next"
.Linfo_string48:
	.asciz	"_RNCNvXsf_NtNtCsgEmfK2I1SDS_4core5slice4iterINtB7_5SplithNCNvCshKuLGoDTFBq_4rust9rust_mains_0ENtNtNtNtBb_4iter6traits8iterator8Iterator4next0BW_"
.Linfo_string49:
	.asciz	"{closure#0}<u8, rust::rust_main::{closure_env#1}>"
.Linfo_string50:
	.asciz	"index"
.Linfo_string51:
	.asciz	"_RINvNtNtCsgEmfK2I1SDS_4core5slice5index24get_offset_len_noubcheckhECshKuLGoDTFBq_4rust"
.Linfo_string52:
	.asciz	"get_offset_len_noubcheck<u8>"
.Linfo_string53:
	.asciz	"{impl#4}"
.Linfo_string54:
	.asciz	"_RNvXs2_NtNtCsgEmfK2I1SDS_4core5slice5indexINtNtNtB9_3ops5range5RangejEINtB5_10SliceIndexShE13get_uncheckedCshKuLGoDTFBq_4rust"
.Linfo_string55:
	.asciz	"get_unchecked<u8>"
.Linfo_string56:
	.asciz	"{impl#7}"
.Linfo_string57:
	.asciz	"_RNvXs5_NtNtCsgEmfK2I1SDS_4core5slice5indexINtNtNtB9_3ops5range9RangeFromjEINtB5_10SliceIndexShE13get_uncheckedCshKuLGoDTFBq_4rust"
.Linfo_string58:
	.asciz	"_RINvMNtCsgEmfK2I1SDS_4core5sliceSh13get_uncheckedINtNtNtB5_3ops5range9RangeFromjEECshKuLGoDTFBq_4rust"
.Linfo_string59:
	.asciz	"get_unchecked<u8, core::ops::range::RangeFrom<usize>>"
.Linfo_string60:
	.asciz	"cmp"
.Linfo_string61:
	.asciz	"Ord"
.Linfo_string62:
	.asciz	"_RNvYjNtNtCsgEmfK2I1SDS_4core3cmp3Ord3maxCshKuLGoDTFBq_4rust"
.Linfo_string63:
	.asciz	"max<usize>"
.Linfo_string64:
	.asciz	"ops"
.Linfo_string65:
	.asciz	"function"
.Linfo_string66:
	.asciz	"FnMut"
.Linfo_string67:
	.asciz	"_RNvYNvYjNtNtCsgEmfK2I1SDS_4core3cmp3Ord3maxINtNtNtBa_3ops8function5FnMutTjjEE8call_mutCshKuLGoDTFBq_4rust"
.Linfo_string68:
	.asciz	"call_mut<fn(usize, usize) -> usize, (usize, usize)>"
.Linfo_string69:
	.asciz	"map_fold"
.Linfo_string70:
	.asciz	"_RNCINvNtNtNtCsgEmfK2I1SDS_4core4iter8adapters3map8map_foldRShjjNvMNtBa_5sliceBV_3lenNvYjNtNtBa_3cmp3Ord3maxE0CshKuLGoDTFBq_4rust"
.Linfo_string71:
	.asciz	"{closure#0}<&[u8], usize, usize, fn(&[u8]) -> usize, fn(usize, usize) -> usize>"
.Linfo_string72:
	.asciz	"_RNvXse_NtNtCsgEmfK2I1SDS_4core3ptr8non_nullINtB5_7NonNullRDNtNtCshKuLGoDTFBq_4rust6shapes4AreaEL_ENtNtB9_3cmp9PartialEq2eqBZ_"
.Linfo_string73:
	.asciz	"eq<&dyn rust::shapes::Area>"
.Linfo_string74:
	.asciz	"_RINvXs2J_NtNtCsgEmfK2I1SDS_4core5slice4iterINtB7_4IterRDNtNtCshKuLGoDTFBq_4rust6shapes4AreaEL_ENtNtNtNtBb_4iter6traits8iterator8Iterator4folddNCINvNtNtB1B_8adapters6copied9copy_foldBQ_dNCINvNtB2n_3map8map_foldBQ_ddNCINvBU_3sumINtB2l_6CopiedBF_EE0NCINvXs26_NtB1z_5accumdNtB46_3Sum3sumINtB32_3MapB3C_B3q_EE0E0E0EBW_"
.Linfo_string75:
	.asciz	"fold<&dyn rust::shapes::Area, f64, core::iter::adapters::copied::copy_fold::{closure_env#0}<&dyn rust::shapes::Area, f64, core::iter::adapters::map::map_fold::{closure_env#0}<&dyn rust::shapes::Area, f64, f64, rust::shapes::sum::{closure_env#0}<core::iter::adapters::copied::Copied<core::slice::iter::Iter<&dyn rust::shapes::Area>>>, core::iter::traits::accum::{impl#132}::sum::{closure_env#0}<core::iter::adapters::map::Map<core::iter::adapters::copied::Copied<core::slice::iter::Iter<&dyn rust::shapes::Area>>, rust::shapes::sum::{closure_env#0}<core::iter::adapters::copied::Copied<core::slice::iter::Iter<&dyn rust::shapes::Area>>>>>>>>"
.Linfo_string76:
	.asciz	"copied"
.Linfo_string77:
	.asciz	"{impl#1}"
.Linfo_string78:
	.asciz	"_RINvXs_NtNtNtCsgEmfK2I1SDS_4core4iter8adapters6copiedINtB5_6CopiedINtNtNtBb_5slice4iter4IterRDNtNtCshKuLGoDTFBq_4rust6shapes4AreaEL_EENtNtNtB9_6traits8iterator8Iterator4folddNCINvNtB7_3map8map_foldB1s_ddNCINvB1w_3sumBP_E0NCINvXs26_NtB2c_5accumdNtB3H_3Sum3sumINtB2R_3MapBP_B3f_EE0E0EB1y_"
.Linfo_string79:
	.asciz	"fold<core::slice::iter::Iter<&dyn rust::shapes::Area>, &dyn rust::shapes::Area, f64, core::iter::adapters::map::map_fold::{closure_env#0}<&dyn rust::shapes::Area, f64, f64, rust::shapes::sum::{closure_env#0}<core::iter::adapters::copied::Copied<core::slice::iter::Iter<&dyn rust::shapes::Area>>>, core::iter::traits::accum::{impl#132}::sum::{closure_env#0}<core::iter::adapters::map::Map<core::iter::adapters::copied::Copied<core::slice::iter::Iter<&dyn rust::shapes::Area>>, rust::shapes::sum::{closure_env#0}<core::iter::adapters::copied::Copied<core::slice::iter::Iter<&dyn rust::shapes::Area>>>>>>>"
.Linfo_string80:
	.asciz	"_RINvXs0_NtNtNtCsgEmfK2I1SDS_4core4iter8adapters3mapINtB6_3MapINtNtB8_6copied6CopiedINtNtNtBc_5slice4iter4IterRDNtNtCshKuLGoDTFBq_4rust6shapes4AreaEL_EENCINvB1N_3sumBX_E0ENtNtNtBa_6traits8iterator8Iterator4folddNCINvXs26_NtB2M_5accumdNtB3w_3Sum3sumBN_E0EB1P_"
.Linfo_string81:
	.asciz	"fold<f64, core::iter::adapters::copied::Copied<core::slice::iter::Iter<&dyn rust::shapes::Area>>, rust::shapes::sum::{closure_env#0}<core::iter::adapters::copied::Copied<core::slice::iter::Iter<&dyn rust::shapes::Area>>>, f64, core::iter::traits::accum::{impl#132}::sum::{closure_env#0}<core::iter::adapters::map::Map<core::iter::adapters::copied::Copied<core::slice::iter::Iter<&dyn rust::shapes::Area>>, rust::shapes::sum::{closure_env#0}<core::iter::adapters::copied::Copied<core::slice::iter::Iter<&dyn rust::shapes::Area>>>>>>"
.Linfo_string82:
	.asciz	"accum"
.Linfo_string83:
	.asciz	"{impl#132}"
.Linfo_string84:
	.asciz	"_RINvXs26_NtNtNtCsgEmfK2I1SDS_4core4iter6traits5accumdNtB7_3Sum3sumINtNtNtBb_8adapters3map3MapINtNtB17_6copied6CopiedINtNtNtBd_5slice4iter4IterRDNtNtCshKuLGoDTFBq_4rust6shapes4AreaEL_EENCINvB2k_3sumB1t_E0EEB2m_"
.Linfo_string85:
	.asciz	"sum<core::iter::adapters::map::Map<core::iter::adapters::copied::Copied<core::slice::iter::Iter<&dyn rust::shapes::Area>>, rust::shapes::sum::{closure_env#0}<core::iter::adapters::copied::Copied<core::slice::iter::Iter<&dyn rust::shapes::Area>>>>>"
.Linfo_string86:
	.asciz	"_RINvYINtNtNtNtCsgEmfK2I1SDS_4core4iter8adapters3map3MapINtNtB8_6copied6CopiedINtNtNtBc_5slice4iter4IterRDNtNtCshKuLGoDTFBq_4rust6shapes4AreaEL_EENCINvB1H_3sumBR_E0ENtNtNtBa_6traits8iterator8Iterator3sumdEB1J_"
.Linfo_string87:
	.asciz	"sum<core::iter::adapters::map::Map<core::iter::adapters::copied::Copied<core::slice::iter::Iter<&dyn rust::shapes::Area>>, rust::shapes::sum::{closure_env#0}<core::iter::adapters::copied::Copied<core::slice::iter::Iter<&dyn rust::shapes::Area>>>>, f64>"
.Linfo_string88:
	.asciz	"const_ptr"
.Linfo_string89:
	.asciz	"_RNvMNtNtCsgEmfK2I1SDS_4core3ptr9const_ptrPRDNtNtCshKuLGoDTFBq_4rust6shapes4AreaEL_20offset_from_unsignedBK_"
.Linfo_string90:
	.asciz	"offset_from_unsigned<&dyn rust::shapes::Area>"
.Linfo_string91:
	.asciz	"_RNvMNtNtCsgEmfK2I1SDS_4core3ptr7mut_ptrORDNtNtCshKuLGoDTFBq_4rust6shapes4AreaEL_20offset_from_unsignedBI_"
.Linfo_string92:
	.asciz	"NonNull"
.Linfo_string93:
	.asciz	"_RNvMs1_NtNtCsgEmfK2I1SDS_4core3ptr8non_nullINtB5_7NonNullRDNtNtCshKuLGoDTFBq_4rust6shapes4AreaEL_E20offset_from_unsignedBZ_"
.Linfo_string94:
	.asciz	"shapes"
.Linfo_string95:
	.asciz	"sum"
.Linfo_string96:
	.asciz	"_RNCINvNtCshKuLGoDTFBq_4rust6shapes3sumINtNtNtNtCsgEmfK2I1SDS_4core4iter8adapters6copied6CopiedINtNtNtBJ_5slice4iter4IterRDNtB4_4AreaEL_EEE0B6_"
.Linfo_string97:
	.asciz	"{closure#0}<core::iter::adapters::copied::Copied<core::slice::iter::Iter<&dyn rust::shapes::Area>>>"
.Linfo_string98:
	.asciz	"_RNCINvNtNtNtCsgEmfK2I1SDS_4core4iter8adapters3map8map_foldRDNtNtCshKuLGoDTFBq_4rust6shapes4AreaEL_ddNCINvBY_3sumINtNtB6_6copied6CopiedINtNtNtBa_5slice4iter4IterBU_EEE0NCINvXs26_NtNtB8_6traits5accumdNtB2P_3Sum3sumINtB4_3MapB1M_B1A_EE0E0B10_"
.Linfo_string99:
	.asciz	"{closure#0}<&dyn rust::shapes::Area, f64, f64, rust::shapes::sum::{closure_env#0}<core::iter::adapters::copied::Copied<core::slice::iter::Iter<&dyn rust::shapes::Area>>>, core::iter::traits::accum::{impl#132}::sum::{closure_env#0}<core::iter::adapters::map::Map<core::iter::adapters::copied::Copied<core::slice::iter::Iter<&dyn rust::shapes::Area>>, rust::shapes::sum::{closure_env#0}<core::iter::adapters::copied::Copied<core::slice::iter::Iter<&dyn rust::shapes::Area>>>>>>"
.Linfo_string100:
	.asciz	"copy_fold"
.Linfo_string101:
	.asciz	"_RNCINvNtNtNtCsgEmfK2I1SDS_4core4iter8adapters6copied9copy_foldRDNtNtCshKuLGoDTFBq_4rust6shapes4AreaEL_dNCINvNtB6_3map8map_foldBY_ddNCINvB12_3sumINtB4_6CopiedINtNtNtBa_5slice4iter4IterBY_EEE0NCINvXs26_NtNtB8_6traits5accumdNtB3c_3Sum3sumINtB1I_3MapB2i_B25_EE0E0E0B14_"
.Linfo_string102:
	.asciz	"{closure#0}<&dyn rust::shapes::Area, f64, core::iter::adapters::map::map_fold::{closure_env#0}<&dyn rust::shapes::Area, f64, f64, rust::shapes::sum::{closure_env#0}<core::iter::adapters::copied::Copied<core::slice::iter::Iter<&dyn rust::shapes::Area>>>, core::iter::traits::accum::{impl#132}::sum::{closure_env#0}<core::iter::adapters::map::Map<core::iter::adapters::copied::Copied<core::slice::iter::Iter<&dyn rust::shapes::Area>>, rust::shapes::sum::{closure_env#0}<core::iter::adapters::copied::Copied<core::slice::iter::Iter<&dyn rust::shapes::Area>>>>>>>"
.Linfo_string103:
	.asciz	"_RNCINvXs26_NtNtNtCsgEmfK2I1SDS_4core4iter6traits5accumdNtB9_3Sum3sumINtNtNtBd_8adapters3map3MapINtNtB19_6copied6CopiedINtNtNtBf_5slice4iter4IterRDNtNtCshKuLGoDTFBq_4rust6shapes4AreaEL_EENCINvB2m_3sumB1v_E0EE0B2o_"
.Linfo_string104:
	.asciz	"{closure#0}<core::iter::adapters::map::Map<core::iter::adapters::copied::Copied<core::slice::iter::Iter<&dyn rust::shapes::Area>>, rust::shapes::sum::{closure_env#0}<core::iter::adapters::copied::Copied<core::slice::iter::Iter<&dyn rust::shapes::Area>>>>>"
.Linfo_string105:
	.asciz	"convert"
.Linfo_string106:
	.asciz	"num"
.Linfo_string107:
	.asciz	"{impl#119}"
.Linfo_string108:
	.asciz	"_RNvXs1T_NtNtCsgEmfK2I1SDS_4core7convert3numdINtB8_4FromfE4from"
.Linfo_string109:
	.asciz	"from"
.Linfo_string110:
	.asciz	"{impl#3}"
.Linfo_string111:
	.asciz	"_RNvXs1_NtCsgEmfK2I1SDS_4core7convertfINtB5_4IntodE4intoCshKuLGoDTFBq_4rust"
.Linfo_string112:
	.asciz	"into<f32, f64>"
.Linfo_string113:
	.asciz	"{impl#106}"
.Linfo_string114:
	.asciz	"_RNvXs1G_NtNtCsgEmfK2I1SDS_4core7convert3numdINtB8_4FromlE4from"
.Linfo_string115:
	.asciz	"_RNvXs1_NtCsgEmfK2I1SDS_4core7convertlINtB5_4IntodE4intoCshKuLGoDTFBq_4rust"
.Linfo_string116:
	.asciz	"into<i32, f64>"
.Linfo_string117:
	.asciz	"_RINvXs2J_NtNtCsgEmfK2I1SDS_4core5slice4iterINtB7_4IterhENtNtNtNtBb_4iter6traits8iterator8Iterator4foldjNCINvNtNtBY_8adapters3map8map_foldRhjjNCINvNvXs1_NtB1K_6filterINtB2q_6FilterppEBS_5count8to_usizeB2b_NCNvCshKuLGoDTFBq_4rust9rust_main0E0NCINvXsK_NtBW_5accumjNtB3Z_3Sum3sumINtB1I_3MapBF_B2f_EE0E0EB3k_"
.Linfo_string118:
	.asciz	"fold<u8, usize, core::iter::adapters::map::map_fold::{closure_env#0}<&u8, usize, usize, core::iter::adapters::filter::{impl#3}::count::to_usize::{closure_env#0}<&u8, rust::rust_main::{closure_env#0}>, core::iter::traits::accum::{impl#48}::sum::{closure_env#0}<core::iter::adapters::map::Map<core::slice::iter::Iter<u8>, core::iter::adapters::filter::{impl#3}::count::to_usize::{closure_env#0}<&u8, rust::rust_main::{closure_env#0}>>>>>"
.Linfo_string119:
	.asciz	"_RINvXs0_NtNtNtCsgEmfK2I1SDS_4core4iter8adapters3mapINtB6_3MapINtNtNtBc_5slice4iter4IterhENCINvNvXs1_NtB8_6filterINtB1A_6FilterppENtNtNtBa_6traits8iterator8Iterator5count8to_usizeRhNCNvCshKuLGoDTFBq_4rust9rust_main0E0EB23_4foldjNCINvXsK_NtB27_5accumjNtB3M_3Sum3sumBN_E0EB2W_"
.Linfo_string120:
	.asciz	"fold<usize, core::slice::iter::Iter<u8>, core::iter::adapters::filter::{impl#3}::count::to_usize::{closure_env#0}<&u8, rust::rust_main::{closure_env#0}>, usize, core::iter::traits::accum::{impl#48}::sum::{closure_env#0}<core::iter::adapters::map::Map<core::slice::iter::Iter<u8>, core::iter::adapters::filter::{impl#3}::count::to_usize::{closure_env#0}<&u8, rust::rust_main::{closure_env#0}>>>>"
.Linfo_string121:
	.asciz	"{impl#48}"
.Linfo_string122:
	.asciz	"_RINvXsK_NtNtNtCsgEmfK2I1SDS_4core4iter6traits5accumjNtB6_3Sum3sumINtNtNtBa_8adapters3map3MapINtNtNtBc_5slice4iter4IterhENCINvNvXs1_NtB16_6filterINtB25_6FilterppENtNtB8_8iterator8Iterator5count8to_usizeRhNCNvCshKuLGoDTFBq_4rust9rust_main0E0EEB3j_"
.Linfo_string123:
	.asciz	"sum<core::iter::adapters::map::Map<core::slice::iter::Iter<u8>, core::iter::adapters::filter::{impl#3}::count::to_usize::{closure_env#0}<&u8, rust::rust_main::{closure_env#0}>>>"
.Linfo_string124:
	.asciz	"_RINvYINtNtNtNtCsgEmfK2I1SDS_4core4iter8adapters3map3MapINtNtNtBc_5slice4iter4IterhENCINvNvXs1_NtB8_6filterINtB1u_6FilterppENtNtNtBa_6traits8iterator8Iterator5count8to_usizeRhNCNvCshKuLGoDTFBq_4rust9rust_main0E0EB1X_3sumjEB2Q_"
.Linfo_string125:
	.asciz	"sum<core::iter::adapters::map::Map<core::slice::iter::Iter<u8>, core::iter::adapters::filter::{impl#3}::count::to_usize::{closure_env#0}<&u8, rust::rust_main::{closure_env#0}>>, usize>"
.Linfo_string126:
	.asciz	"filter"
.Linfo_string127:
	.asciz	"_RNvXs1_NtNtNtCsgEmfK2I1SDS_4core4iter8adapters6filterINtB5_6FilterINtNtNtBb_5slice4iter4IterhENCNvCshKuLGoDTFBq_4rust9rust_main0ENtNtNtB9_6traits8iterator8Iterator5countB1y_"
.Linfo_string128:
	.asciz	"count<core::slice::iter::Iter<u8>, rust::rust_main::{closure_env#0}>"
.Linfo_string129:
	.asciz	"_RNCNvCshKuLGoDTFBq_4rust9rust_main0B3_"
.Linfo_string130:
	.asciz	"{closure#0}"
.Linfo_string131:
	.asciz	"count"
.Linfo_string132:
	.asciz	"to_usize"
.Linfo_string133:
	.asciz	"_RNCINvNvXs1_NtNtNtCsgEmfK2I1SDS_4core4iter8adapters6filterINtBa_6FilterppENtNtNtBe_6traits8iterator8Iterator5count8to_usizeRhNCNvCshKuLGoDTFBq_4rust9rust_main0E0B23_"
.Linfo_string134:
	.asciz	"{closure#0}<&u8, rust::rust_main::{closure_env#0}>"
.Linfo_string135:
	.asciz	"_RNCINvNtNtNtCsgEmfK2I1SDS_4core4iter8adapters3map8map_foldRhjjNCINvNvXs1_NtB6_6filterINtB19_6FilterppENtNtNtB8_6traits8iterator8Iterator5count8to_usizeBU_NCNvCshKuLGoDTFBq_4rust9rust_main0E0NCINvXsK_NtB1G_5accumjNtB3b_3Sum3sumINtB4_3MapINtNtNtBa_5slice4iter4IterhEBY_EE0E0B2w_"
.Linfo_string136:
	.asciz	"{closure#0}<&u8, usize, usize, core::iter::adapters::filter::{impl#3}::count::to_usize::{closure_env#0}<&u8, rust::rust_main::{closure_env#0}>, core::iter::traits::accum::{impl#48}::sum::{closure_env#0}<core::iter::adapters::map::Map<core::slice::iter::Iter<u8>, core::iter::adapters::filter::{impl#3}::count::to_usize::{closure_env#0}<&u8, rust::rust_main::{closure_env#0}>>>>"
.Linfo_string137:
	.asciz	"_RNCINvXsK_NtNtNtCsgEmfK2I1SDS_4core4iter6traits5accumjNtB8_3Sum3sumINtNtNtBc_8adapters3map3MapINtNtNtBe_5slice4iter4IterhENCINvNvXs1_NtB18_6filterINtB27_6FilterppENtNtBa_8iterator8Iterator5count8to_usizeRhNCNvCshKuLGoDTFBq_4rust9rust_main0E0EE0B3l_"
.Linfo_string138:
	.asciz	"{closure#0}<core::iter::adapters::map::Map<core::slice::iter::Iter<u8>, core::iter::adapters::filter::{impl#3}::count::to_usize::{closure_env#0}<&u8, rust::rust_main::{closure_env#0}>>>"
.Linfo_string139:
	.asciz	"_RNvMNtNtCsgEmfK2I1SDS_4core3ptr7mut_ptrORDNtNtCshKuLGoDTFBq_4rust6shapes4AreaEL_3addBI_"
.Linfo_string140:
	.asciz	"add<&dyn rust::shapes::Area>"
.Linfo_string141:
	.asciz	"_RNvMs4_NtNtCsgEmfK2I1SDS_4core5slice4iterINtB5_4IterRDNtNtCshKuLGoDTFBq_4rust6shapes4AreaEL_E3newBU_"
.Linfo_string142:
	.asciz	"new<&dyn rust::shapes::Area>"
.Linfo_string143:
	.asciz	"_RNvMNtCsgEmfK2I1SDS_4core5sliceSRDNtNtCshKuLGoDTFBq_4rust6shapes4AreaEL_4iterBA_"
.Linfo_string144:
	.asciz	"iter<&dyn rust::shapes::Area>"
.Linfo_string145:
	.asciz	"Split"
.Linfo_string146:
	.asciz	"_RNvMsc_NtNtCsgEmfK2I1SDS_4core5slice4iterINtB5_5SplithNCNvCshKuLGoDTFBq_4rust9rust_mains_0E3newBU_"
.Linfo_string147:
	.asciz	"new<u8, rust::rust_main::{closure_env#1}>"
.Linfo_string148:
	.asciz	"_RINvMNtCsgEmfK2I1SDS_4core5sliceSh5splitNCNvCshKuLGoDTFBq_4rust9rust_mains_0EBG_"
.Linfo_string149:
	.asciz	"split<u8, rust::rust_main::{closure_env#1}>"
.Linfo_string150:
	.asciz	"_RINvCshKuLGoDTFBq_4rust7longestINtNtNtCsgEmfK2I1SDS_4core5slice4iter5SplithNCNvB2_9rust_mains_0EEB2_"
.Linfo_string151:
	.asciz	"longest<core::slice::iter::Split<u8, rust::rust_main::{closure_env#1}>>"
.Linfo_string152:
	.asciz	"_RINvNtCshKuLGoDTFBq_4rust6shapes3sumINtNtNtNtCsgEmfK2I1SDS_4core4iter8adapters6copied6CopiedINtNtNtBH_5slice4iter4IterRDNtB2_4AreaEL_EEEB4_"
.Linfo_string153:
	.asciz	"sum<core::iter::adapters::copied::Copied<core::slice::iter::Iter<&dyn rust::shapes::Area>>>"
.Linfo_string154:
	.asciz	"_RNvXNtCshKuLGoDTFBq_4rust6shapesINtB2_6SquarefENtB2_4Area4areaB4_"
.Linfo_string155:
	.asciz	"area<f32>"
.Linfo_string156:
	.asciz	"_RNvXNtCshKuLGoDTFBq_4rust6shapesINtB2_6SquarelENtB2_4Area4areaB4_"
.Linfo_string157:
	.asciz	"area<i32>"
.Linfo_string158:
	.asciz	"_RNvXs_NtCshKuLGoDTFBq_4rust6shapesNtB4_6CircleNtB4_4Area4area"
.Linfo_string159:
	.asciz	"area"
	.ident	"rustc version 1.95.0 (59807616e 2026-04-14)"
	.section	".note.GNU-stack","",@progbits
	.section	.debug_line,"",@progbits
.Lline_table_start0:
